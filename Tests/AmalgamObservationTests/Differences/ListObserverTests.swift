import Amalgam
import Foundation
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

    /// The first callback replaces the request, while the observation is still starting. The replaced observation must
    /// not fetch any more.
    @Test(arguments: Store.allCases)
    func anObservationThatIsReplacedWhileItStartsFetchesNoMore(_ store: Store) async throws {
        try await store.withWriter { writer in
            try await writer.write { try $0.addPlayer("Anna", score: 10) }
            let (fetches, lists) = (Box(0), Log<[String]>())
            let observer = Box<ListObserver<Player>?>(nil)
            await MainActor.run {
                observer.value = ListObserver<Player>(in: writer, by: \.id, scheduling: .immediate) { error in
                    Issue.record(error)
                } onChange: { difference in
                    lists.append(difference.elements.map(\.name))
                    if lists.elements.count == 1 {
                        observer.value?.observe(.tracking { db in try Player.filter(Column("score") > 5).fetchAll(db) })
                    }
                }
                observer.value?.observe(
                    .tracking { db in
                        fetches.value += 1
                        return try Player.fetchAll(db)
                    })
            }
            #expect(lists.elements == [["Anna"]])
            let count = fetches.value
            for name in ["Ben", "Cleo"] {
                try await writer.write { try $0.addPlayer(name, score: 20) }
                try await waitUntil("a list with \(name)") { lists.elements.last?.last == name }
            }
            // A list of the second request is fetched after each commit. The first one would have been, too.
            try await writer.read { _ in }
            #expect(fetches.value == count)
            observer.value?.cancel()
            observer.value = nil
        }
    }

    /// Another thread replaces the request during the first fetch.
    @Test(arguments: Store.allCases)
    func anObservationThatAnotherThreadReplacesFetchesNoMore(_ store: Store) throws {
        try store.withWriter { writer in
            let (recorder, errors, fetches) = (Recorder<ListDifference<Player>>(), Log<String>(), Box(0))
            let players = Self.observer(recorder, errors, in: writer)
            let (hasBegun, isReplaced) = (Signal("first fetch"), Signal("replacement"))
            players.observe(
                .tracking { db in
                    fetches.value += 1
                    hasBegun.fire()
                    if fetches.value == 1 { try isReplaced.wait() }
                    return try Player.fetchAll(db)
                })
            try hasBegun.wait()
            players.observe(.tracking { db in try Player.filter(Column("score") > 5).fetchAll(db) })
            isReplaced.fire()
            try recorder.wait(count: 1)
            try writer.write { try $0.addPlayer("Anna", score: 10) }
            let last = try recorder.wait(count: 2)[1]
            #expect(last.elements.map(\.name) == ["Anna"])
            #expect(fetches.value == 1)
            #expect(errors.elements == [])
            players.cancel()
        }
    }

    // MARK: Records

    /// A record without a property `id`, whose table has a primary key of two columns.
    private struct Seat: Codable, FetchableRecord, PersistableRecord, Equatable {
        var row: String
        var number: Int
        var guest: String?
    }

    /// An update of a column that isn't part of the primary key is an update, and no deletion and insertion.
    @Test(arguments: Store.allCases)
    func recordsAreIdentifiedByTheirPrimaryKey(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.create(table: "seat") { t in
                    t.primaryKey {
                        t.column("row", .text)
                        t.column("number", .integer)
                    }
                    t.column("guest", .text)
                }
                for number in 1...3 { try Seat(row: "A", number: number).insert(db) }
            }
            let recorder = Recorder<ListDifference<Seat>>()
            let seats = ListObserver<Seat>(in: writer, scheduling: .async(onQueue: recorder.queue)) { error in
                recorder.append(error)
            } onChange: { difference in
                recorder.append(difference)
            }
            seats.observe(.tracking { db in try Seat.order(Column("number")).fetchAll(db) })
            try recorder.wait(count: 1)
            try writer.write { db in
                try Seat(row: "A", number: 2, guest: "Anna").update(db)
                try Seat(row: "A", number: 3).delete(db)
            }
            let second = try recorder.wait(count: 2)[1]
            #expect(second.updates.map(\.new) == [Seat(row: "A", number: 2, guest: "Anna")])
            #expect(second.deletions.map(\.element) == [Seat(row: "A", number: 3)])
            #expect(second.insertions.isEmpty)
            // The schema that is read for the primary key isn't observed.
            try writer.write { try $0.execute(sql: "CREATE TABLE other (a)") }
            try writer.write { try Seat(row: "B", number: 1).insert($0) }
            let third = try recorder.wait(count: 3)[2]
            #expect(third.insertions.map(\.element) == [Seat(row: "B", number: 1)])
            seats.cancel()
        }
    }

    /// A record of a table without a primary key.
    private struct Line: Codable, FetchableRecord, PersistableRecord, Equatable {
        var text: String
        var note: String?
    }

    /// The deletion of the first row is a deletion, and no updates of the next rows.
    @Test(arguments: Store.allCases)
    func recordsWithoutAKeyAreIdentifiedByTheirValues(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE line (text TEXT, note TEXT)")
                for text in ["a", "b", "c"] { try Line(text: text).insert(db) }
            }
            let recorder = Recorder<ListDifference<Line>>()
            let lines = ListObserver<Line>(in: writer, scheduling: .async(onQueue: recorder.queue)) { error in
                recorder.append(error)
            } onChange: { difference in
                recorder.append(difference)
            }
            lines.observe(.tracking { db in try Line.order(Column("text")).fetchAll(db) })
            try recorder.wait(count: 1)
            try writer.write { try $0.execute(sql: "DELETE FROM line WHERE text = 'a'") }
            let second = try recorder.wait(count: 2)[1]
            #expect(second.steps == [.remove(at: 0)])
            try writer.write { try $0.execute(sql: "UPDATE line SET note = 'new' WHERE text = 'c'") }
            let third = try recorder.wait(count: 3)[2]
            #expect(third.deletions.map(\.element) == [Line(text: "c")])
            #expect(third.insertions.map(\.element) == [Line(text: "c", note: "new")])
            #expect(third.updates.isEmpty)
            lines.cancel()
        }
    }

    // MARK: Elements

    @Test func elementsByPosition() throws {
        try Store.memoryQueue.withWriter { writer in
            try writer.write { db in
                for name in ["Anna", "Ben"] { try db.addPlayer(name) }
            }
            let (recorder, errors) = (Recorder<ListDifference<Player>>(), Log<String>())
            let players = Self.observer(recorder, errors, in: writer)
            #expect(players.count == 0)
            #expect(players[0] == nil)
            #expect(players.sections.map(\.numberOfRecords) == [0])
            players.observe(.tracking { db in try Player.order(Column("name")).fetchAll(db) })
            try recorder.wait(count: 1)
            #expect(players.count == 2)
            #expect(players[0]?.name == "Anna")
            #expect(players[-1] == nil)
            #expect(players[2] == nil)
            #expect(players.sections.map(\.numberOfRecords) == [2])
            #expect(players.record(at: IndexPath(indexes: [0, 1]))?.name == "Ben")
            #expect(players.record(at: IndexPath(indexes: [1, 0])) == nil)
            #expect(players.record(at: IndexPath()) == nil)
            players.cancel()
        }
    }
}
