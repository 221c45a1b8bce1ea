import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct DatabaseRegionTests {
    // MARK: Text

    @Test func text() {
        #expect(DatabaseRegion().description == "empty")
        #expect(DatabaseRegion.fullDatabase.description == "full database")
        #expect(DatabaseRegion(table: "foo").description == "foo(*)")
        #expect(DatabaseRegion(table: "foo", columns: ["b", "a"]).description == "foo(a,b)")
        #expect(DatabaseRegion(table: "foo", rowIDs: [10, 9, -1]).description == "foo(*)[-1,9,10]")
    }

    @Test func tablesAreSorted() {
        let region = DatabaseRegion(table: "foo")
            .union(DatabaseRegion(table: "bar", columns: ["a"]).tableIntersection("bar", rows: KnownRows(rowIDs: [1])))
        #expect(region.description == "bar(a)[1],foo(*)")
    }

    @Test func emptyAndFull() {
        #expect(DatabaseRegion().isEmpty)
        #expect(!DatabaseRegion().isFullDatabase)
        #expect(DatabaseRegion.fullDatabase.isFullDatabase)
        #expect(!DatabaseRegion.fullDatabase.isEmpty)
        #expect(!DatabaseRegion(table: "foo").isEmpty)
        #expect(!DatabaseRegion(table: "foo").isFullDatabase)
        #expect(DatabaseRegion(table: "foo", rowIDs: []).isEmpty)
    }

    @Test func aTableWithoutColumnsIsEmpty() {
        #expect(DatabaseRegion(table: "foo", columns: []).isEmpty)
        #expect(DatabaseRegion(table: "foo", columns: []) == DatabaseRegion())
    }

    // MARK: Equality

    @Test func caseOfNamesDoesNotMatter() {
        #expect(DatabaseRegion(table: "FOO") == DatabaseRegion(table: "foo"))
        #expect(DatabaseRegion(table: "FOO").description == "FOO(*)")
        #expect(DatabaseRegion(table: "foo", columns: ["A"]) == DatabaseRegion(table: "Foo", columns: ["a"]))
        #expect(DatabaseRegion(table: "foo", columns: ["A"]) != DatabaseRegion(table: "foo", columns: ["b"]))
        #expect(DatabaseRegion(table: "foo", rowIDs: [1]) != DatabaseRegion(table: "foo"))
        #expect(DatabaseRegion() != .fullDatabase)
    }

    @Test func unionOfTwoSpellingsIsOneTable() {
        #expect(DatabaseRegion(table: "FOO").union(DatabaseRegion(table: "foo")) == DatabaseRegion(table: "foo"))
        let columns = DatabaseRegion(table: "FOO", columns: ["A"]).union(
            DatabaseRegion(table: "foo", columns: ["a", "b"]))
        #expect(columns == DatabaseRegion(table: "foo", columns: ["a", "b"]))
    }

    // MARK: Algebra

    /// In the order of the columns of the tables below.
    static let regions: [DatabaseRegion] = [
        DatabaseRegion(table: "foo"),
        DatabaseRegion(table: "foo", columns: ["a", "b"]),
        DatabaseRegion(table: "foo", columns: ["b", "c"]),
        DatabaseRegion(table: "foo", rowIDs: [1, 2]),
        DatabaseRegion(table: "foo", rowIDs: [2, 3]),
        DatabaseRegion(table: "bar"),
    ]

    typealias Line = (left: DatabaseRegion, results: [String])

    static let unions: [Line] = [
        (regions[0], ["foo(*)", "foo(*)", "foo(*)", "foo(*)", "foo(*)", "bar(*),foo(*)"]),
        (regions[1], ["foo(*)", "foo(a,b)", "foo(a,b,c)", "foo(*)", "foo(*)", "bar(*),foo(a,b)"]),
        (regions[2], ["foo(*)", "foo(a,b,c)", "foo(b,c)", "foo(*)", "foo(*)", "bar(*),foo(b,c)"]),
        (regions[3], ["foo(*)", "foo(*)", "foo(*)", "foo(*)[1,2]", "foo(*)[1,2,3]", "bar(*),foo(*)[1,2]"]),
        (regions[4], ["foo(*)", "foo(*)", "foo(*)", "foo(*)[1,2,3]", "foo(*)[2,3]", "bar(*),foo(*)[2,3]"]),
        (
            regions[5],
            [
                "bar(*),foo(*)", "bar(*),foo(a,b)", "bar(*),foo(b,c)", "bar(*),foo(*)[1,2]", "bar(*),foo(*)[2,3]",
                "bar(*)",
            ]
        ),
    ]

    static let intersections: [Line] = [
        (regions[0], ["foo(*)", "foo(a,b)", "foo(b,c)", "foo(*)[1,2]", "foo(*)[2,3]", "empty"]),
        (regions[1], ["foo(a,b)", "foo(a,b)", "foo(b)", "foo(a,b)[1,2]", "foo(a,b)[2,3]", "empty"]),
        (regions[2], ["foo(b,c)", "foo(b)", "foo(b,c)", "foo(b,c)[1,2]", "foo(b,c)[2,3]", "empty"]),
        (regions[3], ["foo(*)[1,2]", "foo(a,b)[1,2]", "foo(b,c)[1,2]", "foo(*)[1,2]", "foo(*)[2]", "empty"]),
        (regions[4], ["foo(*)[2,3]", "foo(a,b)[2,3]", "foo(b,c)[2,3]", "foo(*)[2]", "foo(*)[2,3]", "empty"]),
        (regions[5], ["empty", "empty", "empty", "empty", "empty", "bar(*)"]),
    ]

    @Test(arguments: unions)
    func union(line: Line) {
        for (right, expected) in zip(Self.regions, line.results) {
            #expect(line.left.union(right).description == expected, "\(line.left) ∪ \(right)")
            var region = line.left
            region.formUnion(right)
            #expect(region == line.left.union(right))
        }
    }

    @Test(arguments: intersections)
    func intersection(line: Line) {
        for (right, expected) in zip(Self.regions, line.results) {
            #expect(line.left.intersection(right).description == expected, "\(line.left) ∩ \(right)")
        }
    }

    @Test func theFullDatabaseAbsorbsInUnions() {
        let full = DatabaseRegion.fullDatabase
        for region in Self.regions + [DatabaseRegion(), full] {
            #expect(full.union(region) == full)
            #expect(region.union(full) == full)
            #expect(full.intersection(region) == region)
            #expect(region.intersection(full) == region)
        }
    }

    @Test func theEmptyRegionAbsorbsInIntersections() {
        let empty = DatabaseRegion()
        for region in Self.regions + [empty, .fullDatabase] {
            #expect(empty.union(region) == region)
            #expect(region.union(empty) == region)
            #expect(empty.intersection(region) == empty)
            #expect(region.intersection(empty) == empty)
        }
    }

    @Test func unionAndIntersectionCommuteAndAreIdempotent() {
        for left in Self.regions {
            #expect(left.union(left) == left)
            #expect(left.intersection(left) == left)
            for right in Self.regions {
                #expect(left.union(right) == right.union(left))
                #expect(left.intersection(right) == right.intersection(left))
            }
        }
    }

    @Test func columnsAndRowsAreIndependent() {
        let a1 = DatabaseRegion(table: "foo", columns: ["a"]).tableIntersection("foo", rows: KnownRows(rowIDs: [1]))
        let b2 = DatabaseRegion(table: "foo", columns: ["b"]).tableIntersection("foo", rows: KnownRows(rowIDs: [2]))
        #expect(a1.description == "foo(a)[1]")
        #expect(a1.union(b2).description == "foo(a,b)[1,2]")
        #expect(a1.intersection(b2).isEmpty)
    }

    // MARK: Changes

    @Test func insertionsAndDeletionsConcernTheTable() {
        let region = DatabaseRegion(table: "foo", columns: ["a"])
        #expect(region.isModified(byEventsOfKind: .insert(tableName: "foo")))
        #expect(region.isModified(byEventsOfKind: .delete(tableName: "FOO")))
        #expect(!region.isModified(byEventsOfKind: .insert(tableName: "bar")))
        #expect(!region.isModified(byEventsOfKind: .delete(tableName: "bar")))
    }

    @Test func updatesConcernColumns() {
        let region = DatabaseRegion(table: "foo", columns: ["a", "b"])
        #expect(region.isModified(byEventsOfKind: .update(tableName: "foo", columnNames: ["B", "c"])))
        #expect(!region.isModified(byEventsOfKind: .update(tableName: "foo", columnNames: ["c"])))
        #expect(!region.isModified(byEventsOfKind: .update(tableName: "bar", columnNames: ["a"])))
        #expect(DatabaseRegion(table: "foo").isModified(byEventsOfKind: .update(tableName: "foo", columnNames: ["c"])))
    }

    @Test func equivalentNamesAreDifferentNames() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let region = DatabaseRegion(table: composed, columns: [composed])
        #expect(region.isModified(byEventsOfKind: .insert(tableName: composed)))
        #expect(!region.isModified(byEventsOfKind: .insert(tableName: decomposed)))
        #expect(region.isModified(byEventsOfKind: .update(tableName: composed, columnNames: [composed])))
        #expect(!region.isModified(byEventsOfKind: .update(tableName: composed, columnNames: [decomposed])))
        // SQLite ignores the case of ASCII letters only.
        #expect(!region.isModified(byEventsOfKind: .insert(tableName: composed.uppercased())))
        #expect(region != DatabaseRegion(table: decomposed, columns: [composed]))
    }

    static let kinds: [DatabaseEventKind] = [
        .insert(tableName: "foo"), .delete(tableName: "foo"), .update(tableName: "foo", columnNames: ["a"]),
    ]

    @Test(arguments: kinds)
    func emptyAndFullRegions(kind: DatabaseEventKind) {
        #expect(!DatabaseRegion().isModified(byEventsOfKind: kind))
        #expect(DatabaseRegion.fullDatabase.isModified(byEventsOfKind: kind))
    }

    @Test(arguments: [
        "INSERT INTO bar VALUES (?1, 'x')",
        "UPDATE bar SET a = 'y' WHERE id = ?1",
        "DELETE FROM bar WHERE id = ?1",
    ])
    func rowsMatter(sql: String) throws {
        // bar(a)[1]: row 1 yes, row 2 no
        let region = DatabaseRegion(table: "bar", columns: ["a"]).tableIntersection("bar", rows: KnownRows(rowIDs: [1]))
        let log = EventLog { region.isModified(byEventsOfKind: $0) }
        let dbQueue = try makeQueue("CREATE TABLE bar (id INTEGER PRIMARY KEY, a)")
        try dbQueue.inDatabase { db in
            if !sql.hasPrefix("INSERT") { try db.execute(sql: "INSERT INTO bar VALUES (1, 'a'), (2, 'b')") }
            db.add(transactionObserver: log)
            try db.execute(sql: sql, arguments: [1])
            try db.execute(sql: sql, arguments: [2])
        }
        #expect(log.events.map(\.rowID) == [1, 2])
        #expect(log.events.map { region.isModified(by: $0) } == [true, false])
        #expect(log.events.allSatisfy { DatabaseRegion.fullDatabase.isModified(by: $0) })
        #expect(!log.events.contains { DatabaseRegion().isModified(by: $0) })
    }

    // MARK: Conversions

    @Test func regionsStandForThemselves() throws {
        let region = DatabaseRegion(table: "foo")
        try DatabaseQueue().read { db in
            try #expect(region.databaseRegion(db) == region)
            try #expect(AnyDatabaseRegionConvertible(region).databaseRegion(db) == region)
            try #expect(AnyDatabaseRegionConvertible { _ in region }.databaseRegion(db) == region)
            #expect(throws: Refusal.self) {
                try AnyDatabaseRegionConvertible { _ in throw Refusal() }.databaseRegion(db)
            }
        }
    }
}
