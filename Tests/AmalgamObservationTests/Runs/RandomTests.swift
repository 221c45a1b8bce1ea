import Amalgam
import Dispatch
import TestSupport
import Testing

/// Random transactions on several threads, with observations that start and stop.
@Suite struct RandomTests {
    /// Writes at random, and records the state after each commit, in order: the sum of the scores.
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

    private static func leftCursor(_ db: Database, _ sql: String) throws -> RowCursor {
        let rows = try Row.fetchCursor(db, sql: sql)
        _ = try rows.next()
        return rows
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
                // Cursors that outlive their accesses, before their last row.
                var rows: [RowCursor] = []
                for _ in 1...10 {
                    let recorder = Recorder<Int>()
                    recorders.append((recorder, recorder.start(observation, in: writer)))
                    try writer.read { db in rows.append(try Self.leftCursor(db, "SELECT * FROM player")) }
                    try writer.writeWithoutTransaction { db in
                        rows.append(try Self.leftCursor(db, "UPDATE team SET name = 'x' RETURNING id"))
                    }
                }
                rows = []
            }
            let all = states.elements
            let last = all.last!
            for recorder in [first] + recorders.elements.map(\.0) {
                expectLoosely(try recorder.wait(last: last), all)
            }
            // A value for each commit that changes the sum, and none for others, as far as sums can distinguish them.
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

extension RandomTests {
    /// Transactions increment a counter, others change other tables, and observations of every commit start and stop:
    /// each one receives all numbers from its first one on.
    @Test(arguments: [Store.memoryQueue, .pool])
    func nothingIsLeftOutFromAStartOn(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "CREATE TABLE counter (n); INSERT INTO counter VALUES (0)") }
            let counter = ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT n FROM counter")! }
                .delivering(.everyCommit)
            // The first observation installs the hub, and continues.
            let first = Recorder<Int>()
            let firstCancellable = first.start(counter, in: writer)
            try first.wait(count: 1)
            let told = Log<[Int]>()
            try onThreads(6) { thread in
                if thread < 2 {
                    for _ in 1...200 {
                        try writer.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
                        try writer.write { try $0.addPlayer() }
                    }
                    return
                }
                for number in 1...25 {
                    let recorder = Recorder<Int>()
                    let cancellable =
                        number % 3 == 0
                        ? recorder.startImmediately(counter, in: writer) : recorder.start(counter, in: writer)
                    // The number of values isn't known: the writers may have stopped.
                    try recorder.wait(count: 1)
                    try writer.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
                    try recorder.wait(count: 2)
                    cancellable.cancel()
                    recorder.queue.sync {}
                    told.append(recorder.values)
                }
            }
            let last = try writer.read { try Int.fetchOne($0, sql: "SELECT n FROM counter")! }
            told.append(try first.wait(last: last))
            #expect(told.count == 101)
            for values in told.elements { #expect(values == Array(values[0]..<values[0] + values.count)) }
            firstCancellable.cancel()
        }
    }

    /// Observations of all kinds start and stop while others write.
    @Test(arguments: [Store.fileQueue, .pool])
    func allKindsStartAndStopUnderLoad(_ store: Store) throws {
        struct Player: TableRecord, FetchableRecord, Decodable, Identifiable { var id: Int64, name: String }
        try store.withWriter { writer in
            let states = Log<Int>()
            let shared = Self.sum.shared(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "shared")))
            try onThreads(6) { thread in
                if thread < 2 { return try Self.writeAtRandom(writer, states) }
                for number in 1...50 {
                    let recorder = Recorder<Int>()
                    let cancellable =
                        switch (number + thread) % 7 {
                        case 0: recorder.start(Self.sum.delivering(.everyCommit), in: writer)
                        case 1: recorder.startImmediately(Self.sum.delivering(.everyCommit), in: writer)
                        case 2: recorder.startImmediately(Self.sum.delivering(.latest).removeDuplicates(), in: writer)
                        case 3: shared.start(onError: { recorder.append($0) }, onChange: { recorder.append($0) })
                        case 4:
                            recorder.start(
                                ValueObservation.tracking { try Player.filter(Column("name") == "x").fetchCount($0) },
                                in: writer)
                        case 5: recorder.start(Self.sum.throttle(for: .milliseconds(1)), in: writer)
                        default:
                            DatabaseRegionObservation(tracking: Table("player")).start(
                                in: writer, onError: { recorder.append($0) }, onChange: { _ in recorder.append(0) })
                        }
                    if number % 2 == 0 && (number + thread) % 7 != 6 { try recorder.wait(count: 1) }
                    cancellable.cancel()
                    #expect(recorder.error == nil)
                }
            }
            // A new observation still works.
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(Self.sum, in: writer)
            try recorder.wait(last: states.elements.last!)
            try writer.write { try $0.addPlayer(score: 1) }
            try recorder.wait(last: states.elements.last! + 1)
            cancellable.cancel()
        }
    }
}

extension [Int] {
    /// The elements without consecutive duplicates.
    fileprivate var withoutRepetitions: [Int] {
        enumerated().filter { $0.offset == 0 || self[$0.offset - 1] != $0.element }.map(\.element)
    }
}
