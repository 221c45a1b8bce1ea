import Amalgam
import TestSupport
import Testing

private typealias Player = ListDifferenceTests.Player

/// A list whose request is replaced while it is observed.
@Suite struct ListObserverTests {
    private static func observer(
        _ recorder: Recorder<ListDifference<Player>>, _ errors: Log<String>, in writer: any DatabaseWriter
    ) -> ListObserver<Player> {
        ListObserver(in: writer, by: \.id, scheduling: .async(onQueue: recorder.queue)) { error in
            errors.append("\((error as? DatabaseError)?.message ?? "\(error)")")
        } onChange: { difference in
            recorder.append(difference)
        }
    }

    @Test(arguments: Store.allCases)
    func theNewRequestIsNotifiedAsADifference(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                for (name, score) in [("Anna", 10), ("Ben", 20), ("Cleo", 30)] { try db.addPlayer(name, score: score) }
            }
            let (recorder, errors) = (Recorder<ListDifference<Player>>(), Log<String>())
            let players = Self.observer(recorder, errors, in: writer)
            #expect(players.elements == nil)
            players.observe(.tracking { db in try Player.order(Column("score")).fetchAll(db) })
            let first = try recorder.wait(count: 1)[0]
            #expect(first.isInitial)
            #expect(first.elements.map(\.name) == ["Anna", "Ben", "Cleo"])

            players.observe(
                .tracking { db in try Player.filter(Column("score") > 15).order(Column("score").desc).fetchAll(db) })
            let second = try recorder.wait(count: 2)[1]
            #expect(!second.isInitial)
            #expect(second.deletions.map(\.element.name) == ["Anna"])
            #expect(second.insertions.isEmpty)
            #expect(second.moves.count == 1)
            #expect(players.elements?.map(\.name) == ["Cleo", "Ben"])

            // The new request is observed, and the old one isn't.
            try writer.write { try $0.addPlayer("Dan", score: 5) }
            try writer.write { try $0.addPlayer("Eva", score: 40) }
            let third = try recorder.wait(count: 3)[2]
            #expect(third.steps == [.insert(Player(id: 5, name: "Eva", score: 40), at: 0)])
            #expect(errors.elements == [])
            players.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aRequestWithTheSameListNotifiesNothing(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer("Anna", score: 10) }
            let (recorder, errors) = (Recorder<ListDifference<Player>>(), Log<String>())
            let players = Self.observer(recorder, errors, in: writer)
            for _ in 1...5 { players.observe(.tracking { db in try Player.fetchAll(db) }) }
            try recorder.wait(count: 1)
            players.observe(.tracking { db in try Player.filter(Column("score") > 0).fetchAll(db) })
            try writer.write { try $0.addPlayer("Ben", score: 20) }
            let differences = try recorder.wait(count: 2)
            #expect(differences[1].insertions.map(\.element.name) == ["Ben"])
            #expect(differences.count == 2)
            players.cancel()
        }
    }

    /// A missing table causes errors, which don't end the observation.
    @Test(arguments: Store.allCases)
    func anErrorDoesNotEndTheObservation(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer("Anna", score: 10) }
            let (recorder, errors) = (Recorder<ListDifference<Player>>(), Log<String>())
            let players = Self.observer(recorder, errors, in: writer)
            players.observe(.tracking { db in try Player.fetchAll(db) })
            try recorder.wait(count: 1)
            try writer.write { db in
                try db.execute(sql: "ALTER TABLE player RENAME TO person; INSERT INTO team DEFAULT VALUES")
            }
            try waitUntil("an error") { !errors.elements.isEmpty }
            #expect(errors.elements.allSatisfy { $0 == "no such table: player" })
            try writer.write { db in
                try db.execute(
                    sql: "ALTER TABLE person RENAME TO player; INSERT INTO player (name, score) VALUES ('Ben', 20)")
            }
            let second = try recorder.wait(count: 2)[1]
            // The steps start from the last list without an error.
            #expect(!second.isInitial)
            #expect(second.steps == [.insert(Player(id: 2, name: "Ben", score: 20), at: 1)])
            players.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func anObserverThatIsCancelledGoesOnWithTheNextRequest(_ store: Store) throws {
        try store.withWriter { writer in
            let (recorder, errors) = (Recorder<ListDifference<Player>>(), Log<String>())
            let players = Self.observer(recorder, errors, in: writer)
            players.observe(.tracking { db in try Player.fetchAll(db) })
            try recorder.wait(count: 1)
            players.cancel()
            try writer.write { try $0.addPlayer("Anna", score: 10) }
            players.observe(.tracking { db in try Player.fetchAll(db) })
            let second = try recorder.wait(count: 2)[1]
            #expect(!second.isInitial)
            #expect(second.insertions.map(\.element.name) == ["Anna"])
        }
    }

    @Test @MainActor func callbacksAreOnTheMainActor() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.createLeague()
            try db.addPlayer("Anna", score: 10)
        }
        let lists = Log<[String]>()
        let players = ListObserver<Player>(in: queue, by: \.id, scheduling: .immediate) { error in
            Issue.record(error)
        } onChange: { difference in
            lists.append(difference.elements.map(\.name))
        }
        players.observe(.tracking { db in try Player.fetchAll(db) })
        #expect(lists.elements == [["Anna"]])
        players.observe(.tracking { db in try Player.filter(Column("score") > 10).fetchAll(db) })
        #expect(lists.elements == [["Anna"], []])
    }
}
