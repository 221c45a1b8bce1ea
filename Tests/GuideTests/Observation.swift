import Amalgam
import Foundation
import Observation
import Synchronization
import Testing

@Suite("Guide: Observation")
struct Observing {
    // guide: record
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable, Identifiable {
        var id: Int64
        var name: String
        var score: Int

        enum Columns {
            static let name = Column(CodingKeys.name)
            static let score = Column(CodingKeys.score)
        }
    }
    // end

    let dbQueue: DatabaseQueue

    init() throws {
        // guide: table
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player VALUES (1, 'Anna', 10);
                    """)
        }
        // end
        self.dbQueue = dbQueue
    }

    @Test("Values as an asynchronous sequence")
    func sequence() async throws {
        var counts: [Int] = []
        // guide: sequence
        let observation = ValueObservation.tracking { db in
            try Player.fetchCount(db)
        }
        for try await count in observation.values(in: dbQueue) {
            print(count)  // 1, then 2 when a player is inserted
            // end
            counts.append(count)
            if count == 2 { break }
            try await dbQueue.write { try Player(id: 2, name: "Bo", score: 20).insert($0) }
            // guide: sequence
        }
        // end
        #expect(counts == [1, 2])
    }

    // guide: model
    @MainActor @Observable
    final class PlayerList {
        private(set) var players: [Player] = []
        private let database: any DatabaseReader

        init(_ database: any DatabaseReader) {
            self.database = database
        }

        /// Follows the database until the task is cancelled. In SwiftUI: `.task { try? await list.follow() }`
        func follow() async throws {
            let observation = ValueObservation.tracking { db in
                try Player.order { $0.score.desc }.fetchAll(db)
            }
            for try await players in observation.values(in: database) {
                self.players = players
            }
        }
    }
    // end

    @Test("A list that updates itself")
    @MainActor func model() async throws {
        let list = PlayerList(dbQueue)
        let task = Task { try await list.follow() }
        try await dbQueue.write { try Player(id: 2, name: "Bo", score: 20).insert($0) }
        while list.players.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(list.players.map(\.name) == ["Bo", "Anna"])
        task.cancel()
        _ = try? await task.value
    }

    @Test("One column is observed")
    func column() async throws {
        let dbQueue = dbQueue
        let fetches = Mutex(0)
        let count: @Sendable () -> Void = { fetches.withLock { $0 += 1 } }
        // guide: column
        let names = ValueObservation.tracking(region: Player.select { $0.name }) { db in
            // end
            count()
            // guide: column
            return try Player.select({ $0.name }, as: String.self).fetchAll(db)
        }
        // end
        var iterator = names.values(in: dbQueue).makeAsyncIterator()
        #expect(try await iterator.next() == ["Anna"])
        try await dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 11") }
        try await dbQueue.write { try $0.execute(sql: "UPDATE player SET name = 'Anne'") }
        #expect(try await iterator.next() == ["Anne"])
        #expect(fetches.withLock { $0 } == 2)
    }

    @Test("A callback, and how it is stopped")
    func callback() async throws {
        let (values, continuation) = AsyncStream.makeStream(of: Int.self)
        // guide: start
        let counts = ValueObservation.tracking { db in try Player.fetchCount(db) }
        let cancellable = counts.start(
            in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "counts")),
            onError: { error in print("The observation has ended:", error) },
            onChange: { count in
                print(count)
                // end
                continuation.yield(count)
                // guide: start
            })
        // Observing ends when the cancellable is released, or by:
        // cancellable.cancel()
        // end
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        cancellable.cancel()
    }

    @Test("One observation for many subscribers")
    func shared() async throws {
        // guide: shared
        let best =
            ValueObservation
            .tracking { db in try Player.order { $0.score.desc }.limit(10).fetchAll(db) }
            .removeDuplicates()
            .shared(in: dbQueue)
        for try await players in best.values() {
            print(players.count)
            // end
            #expect(players.count == 1)
            break
            // guide: shared
        }
        // end
    }

    @Test("Each transaction that changes a table")
    func region() throws {
        let changes = Mutex(0)
        let note: @Sendable () -> Void = { changes.withLock { $0 += 1 } }
        // guide: region
        let transactions = DatabaseRegionObservation(tracking: Player.all())
        let transactionCancellable = transactions.start(in: dbQueue) { error in
            print(error)
        } onChange: { (db: Database) in
            print("The players changed.")  // called in the transaction's connection, right after its commit
            // end
            note()
            // guide: region
        }
        // end
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
        transactionCancellable.cancel()
        #expect(changes.withLock { $0 } == 1)
    }

    // guide: observer
    final class ScoreObserver: TransactionObserver {
        private let changes = Mutex<[Int64]>([])
        private let show: @Sendable ([Int64]) -> Void

        init(show: @escaping @Sendable ([Int64]) -> Void) {
            self.show = show
        }

        /// Asks SQLite for events of one column only.
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            if case .update("player", let columns) = eventKind { return columns.contains("score") }
            return false
        }

        func databaseDidChange(with event: DatabaseEvent) {
            changes.withLock { $0.append(event.rowID) }
        }

        func databaseDidCommit(_ db: Database) {
            let rowIDs = changes.withLock { changes in
                defer { changes = [] }
                return changes
            }
            show(rowIDs)
        }

        func databaseDidRollback(_ db: Database) {
            changes.withLock { $0 = [] }
        }
    }
    // end

    @Test("Row events of one column")
    func observer() throws {
        let shown = Mutex<[[Int64]]>([])
        // guide: add
        let observer = ScoreObserver { rowIDs in
            print(rowIDs)  // the rowids of the players, after each commit
            // end
            shown.withLock { $0.append(rowIDs) }
            // guide: add
        }
        dbQueue.add(transactionObserver: observer, extent: .observerLifetime)
        // end
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 12; UPDATE player SET name = 'Anne'") }
        #expect(shown.withLock { $0 } == [[1]], "one event: the update of the name is left out")
    }
}
