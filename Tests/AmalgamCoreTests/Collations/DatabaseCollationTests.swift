import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

private let byLength = DatabaseCollation("byLength") { lhs, rhs in
    lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
}

struct DatabaseCollationTests {
    // MARK: Default collations

    @Test(arguments: [
        (DatabaseCollation.unicodeCompare, "swiftCompare", "NULL '' 1 10 2 A Z a z à blob"),
        (.caseInsensitiveCompare, "swiftCaseInsensitiveCompare", "NULL '' 1 10 2 a=A à Z=z blob"),
        (
            .localizedCaseInsensitiveCompare, "swiftLocalizedCaseInsensitiveCompare", "NULL '' 1 10 2 a=A à Z=z blob"
        ),
        (.localizedCompare, "swiftLocalizedCompare", "NULL '' 1 10 2 a A à z Z blob"),
        (.localizedStandardCompare, "swiftLocalizedStandardCompare", "NULL '' 1 2 10 a A à z Z blob"),
    ])
    func orders(_ collation: DatabaseCollation, name: String, order: String) throws {
        #expect(collation.name == name)
        for kind in DatabaseKind.allCases {
            try kind.open { writer throws in
                try writer.write { db throws in
                    try db.execute(sql: "CREATE TABLE strings (id INTEGER PRIMARY KEY, a TEXT)")
                    let values: [DatabaseValue] = [
                        .null, "".databaseValue, "1".databaseValue, "2".databaseValue, "10".databaseValue,
                        "a".databaseValue, "à".databaseValue, "A".databaseValue, "Z".databaseValue, "z".databaseValue,
                        Data("0".utf8).databaseValue,
                    ]
                    for value in values {
                        try db.execute(sql: "INSERT INTO strings (a) VALUES (?)", arguments: [value])
                    }
                }
                #expect(try writer.read { db throws in try self.order(db, collation) } == order)
            }
        }
    }

    /// Returns the strings in order, with `=` between equal strings.
    private func order(_ db: Database, _ collation: DatabaseCollation) throws -> String {
        let sql = """
            SELECT iif(typeof(a) = 'blob', 'blob', iif(a = '', '''''', ifnull(a, 'NULL'))) AS name,
              ifnull(a COLLATE \(collation.name) = lag(a) OVER (ORDER BY a COLLATE \(collation.name), id), 0) AS same
            FROM strings ORDER BY a COLLATE \(collation.name), id
            """
        return try Row.fetchAll(db, sql: sql).reduce("") { text, row in
            text + (text.isEmpty ? "" : row["same"] == 1 ? "=" : " ") + (row["name"] as String)
        }
    }

    /// ASCII strings are compared by separate code, which gives the order of Swift and Foundation.
    @Test func shortCutForASCII() throws {
        try DatabaseKind.memory.run { db throws in
            let strings = (0..<128).flatMap { code -> [String] in
                let character = String(UnicodeScalar(UInt8(code)))
                return [character, "x\(character)y", "longer than eight \(character)", "é\(character)"]
            }
            let compare = try db.makeStatement(sql: "SELECT ?1 < ?2 COLLATE swiftCompare")
            let ignoring = try db.makeStatement(sql: "SELECT ?1 < ?2 COLLATE swiftCaseInsensitiveCompare")
            for (index, left) in strings.enumerated() {
                for right in [strings[(index * 31 + 7) % strings.count], strings[(index + 1) % strings.count]] {
                    #expect(try Bool.fetchOne(compare, arguments: [left, right]) == (left < right))
                    let isLess = left.caseInsensitiveCompare(right) == .orderedAscending
                    #expect(try Bool.fetchOne(ignoring, arguments: [left, right]) == isLess)
                }
            }
        }
    }

    @Test func unicodeCompareIsThatOfSwift() throws {
        try DatabaseKind.memory.run { db throws in
            let sql = "SELECT 'e\u{301}' = 'é' COLLATE swiftCompare, 'é' < 'z' COLLATE swiftCompare"
            let row = try Row.fetchOne(db, sql: sql)
            #expect(row?.databaseValues.map(\.description) == ["1", "0"])
        }
    }

    @Test func columns() throws {
        try DatabaseKind.file.run { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t (name TEXT COLLATE swiftLocalizedCaseInsensitiveCompare UNIQUE);
                    INSERT INTO t VALUES ('bo'), ('Anna'), ('Élise'), ('Zoé')
                    """)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM t ORDER BY name") == ["Anna", "bo", "Élise", "Zoé"])
            #expect(try String.fetchOne(db, sql: "SELECT name FROM t WHERE name = 'éLISE'") == "Élise")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES ('ANNA')") }
        }
    }

    // MARK: Custom collations

    @Test(arguments: DatabaseKind.allCases)
    func custom(_ kind: DatabaseKind) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(collation: byLength) }
        try kind.open(configuration) { writer throws in
            try writer.write { db throws in
                try db.execute(sql: "CREATE TABLE t (a TEXT COLLATE BYLENGTH); CREATE INDEX i ON t(a)")
                try db.execute(sql: "INSERT INTO t VALUES ('ccc'), ('a'), ('bb')")
            }
            let strings = try writer.read { db throws in try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") }
            #expect(strings == ["a", "bb", "ccc"])
        }
    }

    @Test func identity() {
        #expect(byLength.id == DatabaseCollation("BYLENGTH") { _, _ in .orderedSame }.id)
        #expect(byLength.id != DatabaseCollation.unicodeCompare.id)
        #expect(Set([byLength.id, DatabaseCollation("bylength") { _, _ in .orderedSame }.id]).count == 1)
        #expect(
            DatabaseCollation("É") { _, _ in .orderedSame }.id != DatabaseCollation("é") { _, _ in .orderedSame }.id)
    }

    @Test(arguments: ["UTF-8", "UTF-16"])
    func textsThatAreNotUTF8(_ encoding: String) throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
            let compared = Shared<Set<String>>([])
            db.add(
                collation: DatabaseCollation("c") { lhs, rhs in
                    compared.value.formUnion([lhs, rhs])
                    return lhs < rhs ? .orderedAscending : lhs == rhs ? .orderedSame : .orderedDescending
                })
            try db.execute(
                sql: """
                    INSERT INTO t (a) VALUES (CAST(x'ff' AS TEXT)), ('b'), (x'00'), ('a'), (''), (NULL), ('a' || char(0))
                    """)
            let ids = try Int.fetchAll(db, sql: "SELECT id FROM t ORDER BY a COLLATE c")
            if encoding == "UTF-8" {
                #expect(ids == [6, 5, 4, 7, 2, 1, 3])
                #expect(compared.value == ["", "a", "a\0", "b"])
            } else {
                // Half a code unit: SQLite reads no character.
                #expect(ids.first == 6 && ids.last == 3)
            }
        }
    }

    @Test func invalidTextsHaveAnOrder() throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t (a TEXT COLLATE swiftCompare PRIMARY KEY) WITHOUT ROWID;
                    INSERT INTO t VALUES (CAST(x'ff' AS TEXT)), (CAST(x'fe' AS TEXT)), ('\u{10FFFF}'), (CAST(x'ff00' AS TEXT))
                    """)
            let bytes = try String.fetchAll(db, sql: "SELECT hex(a) FROM t ORDER BY a")
            #expect(bytes == ["F48FBFBF", "FE", "FF", "FF00"])
        }
    }

    // MARK: Changes

    @Test func replacing() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(collation: byLength)
            let sql = "SELECT 'aa' < 'b' COLLATE byLength"
            #expect(try Bool.fetchOne(db, sql: sql) == false)
            db.add(collation: DatabaseCollation("BYLENGTH") { _, _ in .orderedAscending })
            #expect(try Bool.fetchOne(db, sql: sql) == true)
        }
    }

    @Test func removing() throws {
        try DatabaseKind.memory.run { db throws in
            for collation in [byLength, DatabaseCollation.unicodeCompare] {
                let sql = "SELECT 1 ORDER BY 1 COLLATE \(collation.name)"
                db.add(collation: collation)
                try db.execute(sql: sql)
                db.remove(collation: collation)
                expectError(.SQLITE_ERROR, "no such collation sequence: \(collation.name)", sql: sql) {
                    try db.execute(sql: sql)
                }
                db.add(collation: collation)
                try db.execute(sql: sql)
            }
            db.remove(collation: .localizedCompare)
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "SELECT 1 ORDER BY 1 COLLATE swiftLocalizedCompare")
            }
            try db.execute(sql: "SELECT 1 ORDER BY 1 COLLATE swiftLocalizedStandardCompare")
        }
    }

    /// A running sort isn't affected by a change of its collation.
    @Test func changesWhileAStatementRuns() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(collation: byLength)
            let sql = "SELECT column1 FROM (VALUES ('bb'), ('ccc'), ('a')) ORDER BY 1 COLLATE byLength"
            let cursor = try String.fetchCursor(db, sql: sql)
            #expect(try cursor.next() == "a")
            db.add(collation: DatabaseCollation("byLength") { $0 < $1 ? .orderedDescending : .orderedAscending })
            db.remove(collation: .unicodeCompare)
            #expect(try cursor.next() == "bb")
            #expect(try cursor.next() == "ccc")
            #expect(try cursor.next() == nil)
            #expect(try String.fetchAll(db, sql: sql) == ["ccc", "bb", "a"])
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1 ORDER BY 1 COLLATE swiftCompare") }
        }
    }

    @Test func unusableNames() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(collation: DatabaseCollation("a\0b") { _, _ in .orderedSame })
            db.add(collation: DatabaseCollation("") { _, _ in .orderedSame })
            db.remove(collation: DatabaseCollation("a\0b") { _, _ in .orderedSame })
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1 ORDER BY 1 COLLATE a") }
        }
    }

    /// A comparison can't run the statement that calls it.
    @Test func theStatementItself() throws {
        try DatabaseKind.memory.run { db throws in
            let statement = Shared<Statement?>(nil)
            let error = Shared<(any Error)?>(nil)
            db.add(
                collation: DatabaseCollation("c") { lhs, rhs in
                    do { try statement.value?.execute() } catch let caught { error.value = caught }
                    return lhs < rhs ? .orderedAscending : .orderedDescending
                })
            statement.value = try db.makeStatement(sql: "SELECT 'a' < 'b' COLLATE c")
            #expect(try Bool.fetchOne(try #require(statement.value)) == true)
            #expect((error.value as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
            statement.value = nil
        }
    }

    /// A comparison can't use the connection: SQLite calls it while it searches an index, and a change of the database
    /// would move the pages.
    ///
    /// ```sql
    /// INSERT INTO word VALUES ('a'), ('b')   -- compares 'a' and 'b' by the collation
    /// ```
    @Test func aComparisonCannotUseTheConnection() throws {
        try DatabaseKind.memory.run { db throws in
            let connection = db.shared
            let errors = Shared<[String]>([])
            db.add(
                collation: DatabaseCollation("c") { lhs, rhs in
                    do { try connection.value.execute(sql: "SAVEPOINT s") } catch { errors.value.append("\(error)") }
                    return lhs < rhs ? .orderedAscending : lhs > rhs ? .orderedDescending : .orderedSame
                })
            try db.execute(sql: "CREATE TABLE word (name TEXT COLLATE c PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO word VALUES ('a'), ('b')")
            #expect(
                Set(errors.value) == [
                    "SQLite error 21: the connection cannot be used here: SQLite is in the middle of a statement - "
                        + "while executing `SAVEPOINT s`"
                ])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM word ORDER BY name DESC") == ["b", "a"])
        }
    }
}
