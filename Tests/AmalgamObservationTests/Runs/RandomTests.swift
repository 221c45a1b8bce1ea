import Amalgam
import Testing

/// Random transactions, from several threads, and observations that come and go.
@Suite struct RandomTests {
    /// What each commit has left: the sum of the scores, in the order of commits.
    private static func writeAtRandom(_ writer: any DatabaseWriter, _ states: Log<Int>) throws {
        for _ in 1...60 {
            try? writer.write { db in
                for _ in 0...Int.random(in: 0...3) {
                    switch Int.random(in: 0...5) {
                    case 0, 1: try db.addPlayer(score: Int.random(in: 0...100))
                    case 2: try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id % 3 = 0")
                    case 3: try db.execute(sql: "UPDATE player SET name = 'x'")
                    case 4: try db.execute(sql: "DELETE FROM player WHERE id = (SELECT MAX(id) FROM player)")
                    default: try db.execute(sql: "INSERT INTO team DEFAULT VALUES")
                    }
                }
                let sum = try Int.fetchOne(db, sql: "SELECT IFNULL(SUM(score), 0) FROM player")!
                if Int.random(in: 0...5) == 0 { throw Oops() }
                db.afterNextTransaction { _ in states.append(sum) }
            }
        }
    }

    private static let sum = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT IFNULL(SUM(score), 0) FROM player")!
    }

    @Test(arguments: Store.allCases, [ValueObservationDelivery.latest, .everyCommit])
    func valuesAreThoseOfCommitsInTheirOrder(_ store: Store, _ delivery: ValueObservationDelivery) throws {
        try store.withWriter { writer in
            let states = Log<Int>()
            states.append(0)
            let observation = Self.sum.delivering(delivery).triggered(by: .changes)
            let first = Recorder<Int>()
            let firstCancellable = first.startImmediately(observation, in: writer)
            let recorders = Log<(Recorder<Int>, AnyDatabaseCancellable)>()
            try onThreads(3) { thread in
                if thread < 2 { return try Self.writeAtRandom(writer, states) }
                for _ in 1...10 {
                    let recorder = Recorder<Int>()
                    recorders.append((recorder, recorder.start(observation, in: writer)))
                }
            }
            let all = states.elements
            let last = all.last!
            for recorder in [first] + recorders.elements.map(\.0) {
                expectLoosely(try recorder.wait(last: last), all)
            }
            // A value for each commit that has changed the sum, and none for others, as far as sums tell.
            if delivery == .everyCommit {
                #expect(first.values.withoutRepetitions == all.withoutRepetitions)
            }
            firstCancellable.cancel()
            for (_, cancellable) in recorders.elements { cancellable.cancel() }
        }
    }

    @Test(arguments: [Store.fileQueue, .pool])
    func twoHundredObservationsStartAndStopUnderLoad(_ store: Store) throws {
        try store.withWriter { writer in
            let states = Log<Int>()
            try onThreads(4) { thread in
                if thread < 2 { return try Self.writeAtRandom(writer, states) }
                for number in 1...100 {
                    let recorder = Recorder<Int>()
                    let cancellable = recorder.start(Self.sum, in: writer)
                    if number % 2 == 0 { try recorder.wait(count: 1) }
                    cancellable.cancel()
                }
            }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(Self.sum, in: writer)
            try recorder.wait(last: states.elements.last!)
            cancellable.cancel()
        }
    }
}

extension [Int] {
    /// Without elements that are equal to the one before.
    fileprivate var withoutRepetitions: [Int] {
        enumerated().filter { $0.offset == 0 || self[$0.offset - 1] != $0.element }.map(\.element)
    }
}
