import Amalgam
import Testing

/// Keyed containers work while their record is decoded, even if other records are decoded at the same time. Only
/// `Decodable` records have them.
struct RowContainerTests {
    private enum Key: CodingKey, CaseIterable { case a, b, c }

    /// A value passed to the record that is being decoded, by a task-local variable.
    private struct Told<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Stores its container, and uses a second one while it is decoded.
    private final class Keeper: Decodable, FetchableRecord {
        @TaskLocal static var other: Told<Keeper>?

        let container: KeyedDecodingContainer<Key>
        let a: Int

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Key.self)
            Keeper.other?.value.expectNoUse()
            a = try container.decode(Int.self, forKey: .a)
            Keeper.other?.value.expectNoUse()
        }

        func expectNoUse() {
            #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: .a) }
            #expect(throws: DecodingError.self) { try container.decodeIfPresent(Int.self, forKey: .a) }
            #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: .c) }
            #expect(throws: DecodingError.self) { try container.decode([Int].self, forKey: .a) }
            #expect(throws: DecodingError.self) { try container.decodeIfPresent([Int].self, forKey: .b) }
            #expect(throws: DecodingError.self) { try container.decodeNil(forKey: .a) }
            #expect(throws: DecodingError.self) { try container.superDecoder() }
            #expect(throws: DecodingError.self) { try container.superDecoder(forKey: .a) }
            #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: Key.self, forKey: .a) }
            #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer(forKey: .a) }
            #expect(!container.contains(.a))
            #expect(container.allKeys.isEmpty)
        }
    }

    @Test("a container that was kept does not read what is decoded later")
    func keptContainers() throws {
        try DatabaseQueue().inDatabase { db in
            var keepers: [Keeper] = []
            for number in 0..<100 {
                // The decoder is released with the statement.
                let statement = try db.makeStatement(sql: "SELECT \(number) AS a, 'b' AS b")
                let keeper = try Keeper.$other.withValue(keepers.last.map(Told.init)) { try Keeper.fetchOne(statement) }
                keepers.append(try #require(keeper))
            }
            #expect(keepers.map(\.a) == Array(0..<100))
            for keeper in keepers { keeper.expectNoUse() }
        }
    }

    @Test("a container that was kept does not read another record of its statement, nor is it in its way")
    func keptContainersOfOneStatement() throws {
        try DatabaseQueue().read { db in
            let keepers = try Keeper.fetchAll(db, sql: "SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3")
            #expect(keepers.map(\.a) == [1, 2, 3])
            for keeper in keepers { keeper.expectNoUse() }
        }
    }

    @Test("a container serves without the decoder that made it, while the record is decoded")
    func containersWithoutDecoder() throws {
        struct Inner: Decodable {
            let b: String
            let last: Int
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                b = try container.decode(String.self, forKey: .b)
                last = try container.superDecoder().container(keyedBy: Key.self).decode(Int.self, forKey: .a)
            }
        }
        struct Outer: Decodable, FetchableRecord {
            let numbers: [Int]
            let inner: Inner
            init(from decoder: any Decoder) throws {
                let upper = try decoder.container(keyedBy: Key.self).superDecoder().container(keyedBy: Key.self)
                let others = try (0..<10).map { _ in try upper.superDecoder().container(keyedBy: Key.self) }
                numbers = try others.map { try $0.decode(Int.self, forKey: .a) }
                // There is no column c: the value is decoded from the row.
                inner = try upper.decode(Inner.self, forKey: .c)
            }
        }
        try DatabaseQueue().read { db in
            let records = try Outer.fetchAll(db, sql: "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'")
            #expect(records.map(\.numbers) == [1, 2].map { Array(repeating: $0, count: 10) })
            #expect(records.map(\.inner.b) == ["x", "y"])
            #expect(records.map(\.inner.last) == [1, 2])
        }
    }

    @Test("keys are found in any order, however many there are")
    func manyKeys() throws {
        struct Record: Decodable, FetchableRecord {
            // swift-format-ignore
            enum Key: Int, CodingKey, CaseIterable {
                case k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16, k17, k18, k19
            }
            @TaskLocal static var order: [Key] = Key.allCases
            let values: [Key: Int]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                values = try Dictionary(
                    uniqueKeysWithValues: Record.order.map { ($0, try container.decode(Int.self, forKey: $0)) })
            }
        }
        let keys = Record.Key.allCases
        let columns = keys.map { "\(100 + $0.rawValue) AS \($0.stringValue)" }.joined(separator: ", ")
        try DatabaseQueue().read { db in
            for order in [keys, keys.reversed(), [keys[19]], [keys[7], keys[8], keys[0]]] + keys.map({ [$0] }) {
                try Record.$order.withValue(order) {
                    let sql = "SELECT \(columns) UNION ALL SELECT \(columns)"
                    for record in try Record.fetchAll(db.makeStatement(sql: sql)) {
                        #expect(record.values.count == order.count)
                        for (key, value) in record.values { #expect(value == 100 + key.rawValue) }
                    }
                }
            }
        }
    }

    @Test("a type may ask the container that is being asked, for the same key as another type")
    func reentrance() throws {
        struct Curious: Decodable {
            let others: [String]
            init(from decoder: any Decoder) throws {
                guard let container = Record.asked?.value else { throw CancellationError() }
                // These values are decoded by other code, which replaces the active record.
                others = try [
                    container.decode([String].self, forKey: .a).joined(),
                    String(container.decode(Set<String>.self, forKey: .a).count),
                    container.decodeIfPresent([String?].self, forKey: .a)?.first??.description ?? "",
                ]
            }
        }
        struct Record: Decodable, FetchableRecord {
            @TaskLocal static var asked: Told<KeyedDecodingContainer<Key>>?
            let curious: Curious
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                curious = try Record.$asked.withValue(Told(value: container)) {
                    try container.decode(Curious.self, forKey: .a)
                }
            }
        }
        try DatabaseQueue().read { db in
            let sql = #"SELECT '["x", "y"]' AS a UNION ALL SELECT '["z"]'"#
            for _ in 1...3 {
                let records = try Record.fetchAll(db, sql: sql)
                #expect(records.map(\.curious.others) == [["xy", "2", "x"], ["z", "1", "z"]])
            }
        }
    }

    @Test("a record may fetch others of its type while it is decoded")
    func fetchesWithin() throws {
        struct Node: Decodable, FetchableRecord {
            @TaskLocal static var database: Told<Database>?
            let a: Int
            let children: [Node]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let number = try container.decode(Int.self, forKey: .a)
                guard let db = Node.database?.value else { throw CancellationError() }
                children = try Node.fetchAll(db, sql: "SELECT id AS a FROM node WHERE parent = ?", arguments: [number])
                a = try container.decode(Int.self, forKey: .a)
                #expect(a == number)
            }
            var depth: Int { 1 + (children.map(\.depth).max() ?? 0) }
        }
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE node (id INTEGER PRIMARY KEY, parent INTEGER);
                    INSERT INTO node VALUES (1, NULL), (2, 1), (3, 1), (4, 2), (5, 4)
                    """)
            let sql = "SELECT id AS a FROM node WHERE parent IS NULL"
            let roots = try Node.$database.withValue(Told(value: db)) { try Node.fetchAll(db, sql: sql) }
            #expect(roots.map(\.depth) == [4])
            #expect(roots[0].children.map(\.a) == [2, 3])
        }
    }

    @Test("a record that lets its own statement run again breaks nothing but its fetch")
    func runsItsStatementAgain() throws {
        struct Restless: Decodable, FetchableRecord {
            @TaskLocal static var statement: Told<Statement>?
            let a: Int
            let list: [Int]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                list = try container.decode([Int].self, forKey: .b)
                if let statement = Restless.statement?.value {
                    _ = try Restless.$statement.withValue(nil) { try Restless.fetchAll(statement) }
                }
                a = try container.decode(Int.self, forKey: .a)
            }
        }
        try DatabaseQueue().read { db in
            let statement = try db.makeStatement(sql: "SELECT 1 AS a, '[1]' AS b UNION ALL SELECT 2, '[2]'")
            #expect(throws: (any Error).self) {
                try Restless.$statement.withValue(Told(value: statement)) { try Restless.fetchAll(statement) }
            }
            let records = try Restless.fetchAll(statement)
            #expect(records.map(\.a) == [1, 2])
            #expect(records.map(\.list) == [[1], [2]])
        }
    }
}
