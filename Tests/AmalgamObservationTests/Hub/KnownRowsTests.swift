import Amalgam
import Foundation
import TestSupport
import Testing

/// Observations of rows with known values don't fetch again when other rows change.
@Suite struct KnownRowsTests {
    struct Item: TableRecord, FetchableRecord, Decodable, Identifiable {
        enum Columns {
            static let id = Column("id")
            static let kind = Column("kind")
            static let code = Column("code")
            static let label = Column("label")
            static let size = Column("size")
            static let any = Column("any")
        }

        static let container = belongsTo(Item.self, key: "container", using: ForeignKey(["container"]))

        let id: String
    }

    /// A TEXT key, columns of all affinities, a reference to the same table, and a table without rowids.
    private static let schema = """
        CREATE TABLE item (
            id TEXT PRIMARY KEY, kind INTEGER, code NUMERIC, label TEXT COLLATE NOCASE, size REAL, "any",
            container TEXT);
        CREATE INDEX item_by_container ON item (container);
        CREATE INDEX item_by_code ON item (code);
        CREATE TABLE pair (a TEXT, b INTEGER, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
        """

    private static let items = """
        INSERT INTO item VALUES
            ('a', 1, 1, 'one', 1.0, x'01', NULL), ('b', 2, '2', 'two', 2.5, 'x', 'a'), ('c', 2, 3, 'three', 3, 3, 'a');
        INSERT INTO pair VALUES ('a', 1, 'x'), ('a', 2, 'y'), ('b', 1, 'z');
        """

    typealias Fetch = @Sendable (Database) throws -> String

    /// The number of fetches of an observation after a transaction.
    private static func fetchCount(_ fetch: @escaping Fetch, after sql: String) throws -> Int {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: schema + items) }
        let fetches = Box(0)
        let observation = ValueObservation.tracking { db in
            fetches.increment()
            return try fetch(db)
        }
        let recorder = Recorder<String>()
        let cancellable = recorder.startImmediately(observation.triggered(by: .changes), in: queue)
        // A queue fetches values before the write returns.
        try queue.write { try $0.execute(sql: sql) }
        cancellable.cancel()
        return fetches.value - 1
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fetch: Fetch
        /// SQL that causes a fetch, and SQL that doesn't.
        var relevant: [String]
        var irrelevant: [String]
    }

    private static let ofItemA = Case(
        testDescription: "", fetch: { _ in "" },
        relevant: [
            "DELETE FROM item WHERE id = 'a'", "UPDATE item SET id = 'd' WHERE id = 'a'",
            "DELETE FROM item WHERE id = 'a'; UPDATE item SET id = 'a' WHERE id = 'b'",
            "DELETE FROM item", "REPLACE INTO item (id) VALUES ('a')",
        ],
        irrelevant: [
            "DELETE FROM item WHERE id = 'b'", "INSERT INTO item (id) VALUES ('A'), ('d')",
            "UPDATE item SET id = 'd' WHERE id = 'b'", "UPDATE item SET kind = 7, label = 'x' WHERE id <> 'a'",
            "REPLACE INTO item (id) VALUES ('b')", "DELETE FROM pair",
        ])

    private static func ofItemA(_ name: String, _ fetch: @escaping Fetch) -> Case {
        Case(testDescription: name, fetch: fetch, relevant: ofItemA.relevant, irrelevant: ofItemA.irrelevant)
    }

    private static let cases: [Case] = [
        ofItemA("fetchOne") { try "\(Item.fetchOne($0, id: "a")?.id ?? "")" },
        ofItemA("fetchAll") { try "\(Item.filter(id: "a").fetchAll($0).map(\.id))" },
        ofItemA("fetchCount") { try "\(Item.filter(id: "a").fetchCount($0))" },
        ofItemA("fetchCount of rows that have to be there") {
            try "\(Item.filter(id: "a").limit(1).fetchCount($0))"
        },
        ofItemA("isEmpty") { try "\(Item.filter(id: "a").isEmpty($0))" },
        ofItemA("fetchCursor") { try "\(Array(Item.filter(id: "a").fetchCursor($0)).map(\.id))" },
        ofItemA("a cursor of rows") { try "\(Array(Row.fetchCursor($0, Item.filter(id: "a"))).count)" },
        ofItemA("a cursor of values") {
            try "\(Array(Item.filter(id: "a").select(Item.Columns.id, as: String.self).fetchCursor($0)))"
        },
        ofItemA("a type-erased request") { try "\(AnyFetchRequest(Item.filter(id: "a")).fetchAll($0).map(\.id))" },
        ofItemA("an adapted request") {
            try "\(Item.filter(id: "a").adapted { _ in SuffixRowAdapter(fromIndex: 0) }.fetchAll($0).map(\.id))"
        },
        ofItemA("a condition on both sides") { try "\(Item.filter("a" == Item.Columns.id).fetchCount($0))" },
        Case(
            testDescription: "several keys",
            fetch: { try "\(Item.filter(ids: ["a", "d"]).fetchCount($0))" },
            relevant: ["INSERT INTO item (id) VALUES ('d')", "DELETE FROM item WHERE id = 'a'"],
            irrelevant: ["INSERT INTO item (id) VALUES ('e')", "DELETE FROM item WHERE id = 'b'"]),
        Case(
            testDescription: "a key of two columns",
            fetch: { try "\(Table("pair").filter(key: ["a": "a", "b": 1]).fetchAll($0))" },
            relevant: [
                "UPDATE pair SET v = 'w' WHERE a = 'a'", "DELETE FROM pair WHERE a = 'a' AND b = 1",
                "DELETE FROM pair; INSERT INTO pair VALUES ('a', 1.0, 'x')",
            ],
            irrelevant: [
                "UPDATE pair SET v = 'w' WHERE b = 2", "UPDATE pair SET v = 'w' WHERE a = 'b'",
                "INSERT INTO pair VALUES ('a', 3, 'x')", "DELETE FROM pair WHERE a = 'b'",
            ]),
        Case(
            testDescription: "a column that is no key",
            fetch: { try "\(Item.filter(Item.Columns.kind == 2).fetchCount($0))" },
            relevant: [
                "UPDATE item SET kind = 2 WHERE id = 'a'", "UPDATE item SET kind = '2' WHERE id = 'a'",
                "UPDATE item SET kind = 2.0 WHERE id = 'a'", "UPDATE item SET kind = 3 WHERE id = 'b'",
                "DELETE FROM item WHERE id = 'c'",
            ],
            irrelevant: [
                "UPDATE item SET kind = 3 WHERE id = 'a'", "DELETE FROM item WHERE id = 'a'",
                "INSERT INTO item (id, kind) VALUES ('d', 1), ('e', NULL)",
            ]),
        Case(
            testDescription: "an integer in a column of reals",
            fetch: { try "\(Item.filter(Item.Columns.size == 3).fetchCount($0))" },
            relevant: ["UPDATE item SET size = 3 WHERE id = 'a'", "DELETE FROM item WHERE id = 'c'"],
            irrelevant: ["UPDATE item SET size = 3.5 WHERE id = 'a'", "DELETE FROM item WHERE id = 'b'"]),
        Case(
            testDescription: "a blob",
            fetch: { try "\(Item.filter(Item.Columns.any == Data([1])).fetchCount($0))" },
            relevant: [
                #"UPDATE item SET "any" = x'01' WHERE id = 'b'"#, #"UPDATE item SET "any" = NULL WHERE id = 'a'"#,
            ],
            irrelevant: [#"UPDATE item SET "any" = 1 WHERE id = 'b'"#, "DELETE FROM item WHERE id = 'b'"]),
        Case(
            testDescription: "either of two conditions",
            fetch: {
                try
                    "\(Item.filter(Item.Columns.id == "a" || (Item.Columns.id == "b" && Item.Columns.kind == 2)).fetchCount($0))"
            },
            relevant: ["DELETE FROM item WHERE id = 'a'", "UPDATE item SET kind = 3 WHERE id = 'b'"],
            irrelevant: ["DELETE FROM item WHERE id = 'c'"]),
        // In these cases, other rows can't be excluded.
        Case(
            testDescription: "a collation of the column",
            fetch: { try "\(Item.filter(Item.Columns.label == "one").fetchCount($0))" },
            relevant: ["UPDATE item SET label = 'ONE' WHERE id = 'b'", "DELETE FROM item WHERE id = 'b'"],
            irrelevant: []),
        Case(
            testDescription: "a collation of the comparison",
            fetch: { try "\(Item.filter((Item.Columns.id == "a").collating(.nocase)).fetchCount($0))" },
            relevant: ["INSERT INTO item (id) VALUES ('A')"], irrelevant: []),
        Case(
            testDescription: "a text for a number",
            fetch: { try "\(Item.filter(Item.Columns.code == "2").fetchCount($0))" },
            relevant: ["UPDATE item SET code = 2 WHERE id = 'a'", "DELETE FROM item WHERE id = 'b'"], irrelevant: []),
        Case(
            testDescription: "a number for a text",
            fetch: { try "\(Item.filter(Item.Columns.id == 1).fetchCount($0))" },
            relevant: ["INSERT INTO item (id) VALUES (1)"], irrelevant: []),
        Case(
            testDescription: "one of two conditions, of different columns",
            fetch: { try "\(Item.filter(Item.Columns.id == "a" || Item.Columns.kind == 2).fetchCount($0))" },
            relevant: ["UPDATE item SET kind = 1 WHERE id = 'b'", "DELETE FROM item WHERE id = 'a'"], irrelevant: []),
        Case(
            testDescription: "the table in two places",
            fetch: { try "\(Row.fetchAll($0, Item.filter(id: "b").including(optional: Item.container)))" },
            relevant: ["UPDATE item SET kind = 7 WHERE id = 'a'", "UPDATE item SET kind = 7 WHERE id = 'b'"],
            irrelevant: []),
        Case(
            testDescription: "the table in two places, by the rowid",
            fetch: {
                try "\(Row.fetchAll($0, Item.filter(Column.rowID == 2).including(optional: Item.container)))"
            },
            relevant: ["UPDATE item SET kind = 7 WHERE id = 'a'", "UPDATE item SET kind = 7 WHERE id = 'b'"],
            irrelevant: []),
        Case(
            testDescription: "the table in a subquery",
            fetch: {
                try
                    "\(Item.filter(id: "a").filter(Item.Columns.kind < Item.select(max(Item.Columns.kind))).fetchCount($0))"
            },
            relevant: ["UPDATE item SET kind = 0 WHERE kind = 2"], irrelevant: []),
        Case(
            testDescription: "the table in a subquery that needs an index only",
            fetch: {
                try
                    "\(Item.filter(id: "a").filter(sql: "EXISTS (SELECT 1 FROM item AS i WHERE i.container = 'b')").fetchCount($0))"
            },
            relevant: ["UPDATE item SET container = 'b' WHERE id = 'c'"], irrelevant: []),
        Case(
            testDescription: "the table by its name",
            fetch: {
                try "\(Table("pair").filter(Column("a") == "b").filter(sql: "('a', 2, 'y') IN pair").fetchCount($0))"
            },
            relevant: ["DELETE FROM pair WHERE b = 2"], irrelevant: []),
        Case(
            testDescription: "the table in the count of another request",
            fetch: {
                try
                    "\(Item.filter(id: "b").annotated(withRequired: Item.container.select(Item.Columns.kind.forKey("k"))).fetchCount($0))"
            },
            relevant: ["UPDATE item SET id = 'z' WHERE id = 'a'"], irrelevant: []),
    ]

    @Test(arguments: cases)
    func fetches(_ test: Case) throws {
        for sql in test.relevant {
            let count = try Self.fetchCount(test.fetch, after: sql)
            #expect(count == 1, "\(sql)")
        }
        for sql in test.irrelevant {
            let count = try Self.fetchCount(test.fetch, after: sql)
            #expect(count == 0, "\(sql)")
        }
    }

    /// A row that is older than a column has the default value, which isn't stored.
    @Test func aColumnThatWasAdded() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: Self.schema + Self.items + "ALTER TABLE item ADD COLUMN state TEXT DEFAULT 'new'")
        }
        let last = Box(-1)
        let observation = ValueObservation.tracking { db in
            last.value = try Item.filter(Column("state") == "new").fetchCount(db)
        }
        let recorder = Recorder<Void>()
        let cancellable = recorder.startImmediately(observation, in: queue)
        try queue.write { try $0.execute(sql: "DELETE FROM item WHERE id = 'c'") }
        #expect(last.value == 2)
        try queue.write { try $0.execute(sql: "UPDATE item SET state = 'old' WHERE id = 'a'") }
        #expect(last.value == 1)
        cancellable.cancel()
    }

    /// Writing parts of a blob may make it equal to the observed value.
    @Test(arguments: [false, true]) func aBlobThatIsWrittenInPieces(inSavepoint: Bool) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema + Self.items) }
        let last = Box(-1)
        let observation = ValueObservation.tracking { db in
            last.value = try Item.filter(Item.Columns.any == Data([1, 2])).fetchCount(db)
        }
        let recorder = Recorder<Void>()
        let cancellable = recorder.startImmediately(observation, in: queue)
        try queue.write { try $0.execute(sql: #"UPDATE item SET "any" = zeroblob(2) WHERE id = 'b'"#) }
        #expect(last.value == 0)
        try queue.inDatabase { db in
            if inSavepoint { try db.beginTransaction() }
            if inSavepoint { try db.execute(sql: "SAVEPOINT s") }
            let blob = try db.openBlob(table: "item", column: "any", rowID: 2, access: .readWrite)
            try blob.write(Data([1]), at: 0)
            try blob.write(Data([2]), at: 1)
            try blob.close()
            if inSavepoint { try db.execute(sql: "RELEASE s; COMMIT") }
        }
        #expect(last.value == 1)
        cancellable.cancel()
    }

    // MARK: At random

    private static let values = [
        "'a'", "'b'", "'A'", "'1'", "'1.0'", "'2'", "1", "2", "1.0", "2.5", "x'61'", "x'31'", "NULL",
        "9007199254740993",
        "9007199254740992.0",
    ]

    private static let columns = ["id", "kind", "code", "label", "size", "any", "container"]

    private static func randomCondition() throws -> SQLExpression {
        let column = Column(columns.randomElement()!)
        switch Int.random(in: 0...5) {
        case 0...2: return column == randomValue()
        case 3: return [randomValue(), randomValue(), randomValue()].contains(column)
        case 4: return try randomCondition() && randomCondition()
        default: return try randomCondition() || randomCondition()
        }
    }

    private static func randomValue() -> DatabaseValue {
        let all: [any DatabaseValueConvertible] = [
            "a", "b", "A", "1", "1.0", "2", 1, 2, 1.0, 2.5, Data("a".utf8), Data("1".utf8), 9_007_199_254_740_993,
        ]
        return all.randomElement()!.databaseValue
    }

    private static func randomFetch() throws -> Fetch {
        let condition = try randomCondition()
        let request = Item.filter(condition)
        switch Int.random(in: 0...7) {
        case 0: return { try "\(request.fetchCount($0))" }
        case 1: return { try "\(request.isEmpty($0))" }
        case 2: return { try "\(Row.fetchAll($0, request.order(Column.rowID)))" }
        case 3: return { try "\(Row.fetchOne($0, request.order(Column.rowID)).map { "\($0)" } ?? "")" }
        case 4: return { try "\(Array(Row.fetchCursor($0, request.order(Column.rowID)).map { "\($0)" }))" }
        case 5: return { try "\(Row.fetchAll($0, request.including(optional: Item.container).order(Column.rowID)))" }
        case 6: return { try "\(Int.fetchOne($0, request.select(sum(Item.Columns.kind))) ?? 0)" }
        default:
            return { db in
                try
                    "\(request.fetchCount(db)) \(request.filter(Item.Columns.kind == Item.select(max(Item.Columns.kind))).fetchCount(db))"
            }
        }
    }

    private static func randomWrite() -> String {
        func value() -> String { values.randomElement()! }
        func column() -> String { "\"\(columns.randomElement()!)\"" }
        switch Int.random(in: 0...5) {
        case 0, 1:
            return "INSERT OR REPLACE INTO item VALUES (\((0..<7).map { _ in value() }.joined(separator: ", ")))"
        case 2: return "DELETE FROM item WHERE \(column()) = \(value())"
        case 3: return "UPDATE OR REPLACE item SET rowid = rowid + 1 WHERE \(column()) = \(value())"
        default: return "UPDATE OR REPLACE item SET \(column()) = \(value()) WHERE \(column()) IS NOT \(value())"
        }
    }

    /// The last fetched value always equals the result of a fetch now.
    @Test(arguments: 0..<4) func nothingIsEverMissed(_ round: Int) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema + Self.items) }
        let observed = try (0..<30).map { _ in (fetch: try Self.randomFetch(), last: Box(""), fetches: Box(0)) }
        let recorder = Recorder<Void>()
        let cancellables = observed.map { fetch, last, fetches in
            recorder.startImmediately(
                ValueObservation.tracking { db in
                    fetches.increment()
                    last.value = try fetch(db)
                }.triggered(by: .changes), in: queue)
        }
        var writes = 0
        for _ in 1...100 {
            let sql = (0...Int.random(in: 0...1)).map { _ in Self.randomWrite() }.joined(separator: "; ")
            try queue.write { try $0.execute(sql: sql) }
            writes += 1
            try queue.read { db in
                for (fetch, last, _) in observed {
                    let current = try fetch(db)
                    #expect(last.value == current, "after \(sql)")
                }
            }
        }
        // Some observations skip fetches.
        #expect(observed.contains { $0.fetches.value < writes / 2 })
        for cancellable in cancellables { cancellable.cancel() }
    }
}
