import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

/// SQL literals: an interpolated value is bound or quoted, and never changes the meaning of the SQL.
struct SQLTests {
    /// Returns the SQL of a literal, and its arguments.
    private func build(_ literal: SQL) throws -> (sql: String, arguments: StatementArguments) {
        var result: (sql: String, arguments: StatementArguments)?
        try DatabaseKind.memory.run { db in result = try literal.build(db) }
        return result!
    }

    private func expect(
        _ literal: SQL, _ sql: String, _ arguments: StatementArguments = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try build(literal)
        #expect(result.sql == sql, sourceLocation: sourceLocation)
        #expect(result.arguments == arguments, sourceLocation: sourceLocation)
    }

    // MARK: Values

    @Test func valuesAreArguments() throws {
        try expect(
            "UPDATE player SET name = \("O'Brien") WHERE id = \(42)",
            "UPDATE player SET name = ? WHERE id = ?", ["O'Brien", 42])
        try expect("SELECT \(1.5), \(true), \(Data([1, 2]))", "SELECT ?, ?, ?", [1.5, true, Data([1, 2])])
        let name: Substring = "Anna"[...]
        try expect("SELECT \(name)", "SELECT ?", ["Anna"])
        try expect("SELECT \(Name("Anna"))", "SELECT ?", ["Anna"])
        try expect("SELECT \(1.databaseValue)", "SELECT ?", [1])
    }

    @Test func nilIsNULL() throws {
        try expect("SELECT \(nil as Int?), \(nil as String?), \(DatabaseValue.null)", "SELECT NULL, NULL, NULL")
        try expect("SELECT \(Int?.some(1))", "SELECT ?", [1])
    }

    @Test func existentialValues() throws {
        let value: any DatabaseValueConvertible = 7
        let missing: (any DatabaseValueConvertible)? = nil
        try expect("SELECT \(value), \(missing)", "SELECT ?, NULL", [7])
    }

    // MARK: Sequences

    @Test func sequencesAreLists() throws {
        try expect("id IN \([1, 2, 3])", "id IN (?,?,?)", [1, 2, 3])
        try expect("id IN \(Set([1]))", "id IN (?)", [1])
        try expect("name IN \(["Anna", "Bo"])", "name IN (?,?)", ["Anna", "Bo"])
        try expect("id IN \([1, nil, 3] as [Int?])", "id IN (?,NULL,?)", [1, 3])
        try expect("id IN \((1...3).lazy.map { $0 * 10 })", "id IN (?,?,?)", [10, 20, 30])
    }

    @Test func dataIsAValueAndNoSequence() throws {
        try expect("SELECT \(Data([1, 2, 3]))", "SELECT ?", [Data([1, 2, 3])])
    }

    @Test func theEmptyListContainsNothing() throws {
        try expect("id IN \([] as [Int])", "id IN (SELECT NULL WHERE NULL)")
        try DatabaseKind.memory.run { db in
            for value in [nil, 1, 0] as [Int?] {
                let none: [Int] = []
                let literal: SQL = "SELECT \(value) IN \(none), \(value) NOT IN \(none)"
                let (sql, arguments) = try literal.build(db)
                #expect(
                    try Row.fetchOne(db, sql: sql, arguments: arguments).map { Array($0.databaseValues) }
                        == [0.databaseValue, 1.databaseValue])
            }
        }
    }

    // MARK: Raw SQL

    @Test func rawSQLBringsItsArguments() throws {
        try expect("SELECT \(sql: "max(?, ?)", arguments: [1, 2]), \(3)", "SELECT max(?, ?), ?", [1, 2, 3])
        try expect("SELECT \(sql: "CURRENT_TIMESTAMP")", "SELECT CURRENT_TIMESTAMP")
        try expect(SQL(sql: "SELECT :id", arguments: ["id": 1]), "SELECT :id", ["id": 1])
    }

    @Test func identifiersAreQuoted() throws {
        try expect("SELECT * FROM \(identifier: "group")", #"SELECT * FROM "group""#)
        try expect(#"SELECT \#(identifier: #"a"b"#)"#, #"SELECT "a""b""#)
        #expect(#"a"b"#.quotedDatabaseIdentifier == #""a""b""#)
    }

    /// Swift sees one character, and SQLite two code points.
    @Test func quotesWithAnAccentAreQuotes() throws {
        let name = "a\"\u{301}, (SELECT 1) AS \"b"
        #expect(name.quotedDatabaseIdentifier == "\"a\"\"\u{301}, (SELECT 1) AS \"\"b\"")
        let text = "a'\u{301} || 'b"
        #expect(text.databaseValue.sqlLiteral == "'a''\u{301} || ''b'")
        try DatabaseKind.memory.run { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT \(text.databaseValue.sqlLiteral) AS \(name.quotedDatabaseIdentifier)")
            #expect(row == [name: text])
        }
    }

    @Test func positionalAndNamedArgumentsMayBeMixed() throws {
        try DatabaseKind.memory.run { db in
            var query: SQL = "SELECT \(1), "
            query.append(sql: ":x", arguments: ["x": 2])
            let (sql, arguments) = try query.build(db)
            #expect(sql == "SELECT ?, :x")
            #expect(try Row.fetchOne(db, sql: sql, arguments: arguments) == ["?": 1, ":x": 2])
        }
    }

    // MARK: Composition

    @Test func literalsNest() throws {
        let condition: SQL = "score > \(10)"
        try expect(
            "SELECT * FROM player WHERE \(condition) AND id = \(1)",
            "SELECT * FROM player WHERE score > ? AND id = ?", [10, 1])
        try expect(
            "SELECT * FROM player WHERE \(literal: condition)",
            "SELECT * FROM player WHERE score > ?", [10])
    }

    @Test func argumentsKeepTheOrderOfTheText() throws {
        let inner: SQL = "\(2), \("three")"
        try expect("SELECT \(1), \(inner), \(4)", "SELECT ?, ?, ?, ?", [1, 2, "three", 4])
    }

    @Test func concatenation() throws {
        var query: SQL = "SELECT * FROM player"
        query += " WHERE score >= \(10)"
        query.append(literal: " AND score < \(20)")
        query.append(sql: " LIMIT ?", arguments: [1])
        try expect(query, "SELECT * FROM player WHERE score >= ? AND score < ? LIMIT ?", [10, 20, 1])
        try expect("SELECT \(1)" + ", \(2)", "SELECT ?, ?", [1, 2])
    }

    @Test func joining() throws {
        let conditions: [SQL] = ["score > \(10)", "name = \("Anna")"]
        try expect(conditions.joined(separator: " AND "), "score > ? AND name = ?", [10, "Anna"])
        try expect(conditions.joined(), "score > ?name = ?", [10, "Anna"])
        try expect(conditions.lazy.map { $0 }.joined(separator: ", "), "score > ?, name = ?", [10, "Anna"])
        try expect(AnySequence(conditions).joined(separator: " OR "), "score > ? OR name = ?", [10, "Anna"])
        try expect([SQL]().joined(separator: " AND "), "")
    }

    @Test func emptiness() {
        #expect(SQL("").isEmpty)
        #expect(SQL(sql: "").isEmpty)
        #expect([SQL]().joined().isEmpty)
        #expect(!SQL(" ").isEmpty)
        #expect(!SQL("\(1)").isEmpty)
        #expect(("" + "" as SQL).isEmpty)
    }

    @Test func roles() throws {
        let literal: SQL = "score + \(1)"
        try expect("SELECT \(literal.sqlExpression)", "SELECT score + ?", [1])
        try expect("SELECT \(literal.sqlSelection)", "SELECT score + ?", [1])
        try expect("ORDER BY \(literal.sqlOrdering)", "ORDER BY score + ?", [1])
        try expect(SQL(literal.sqlExpression), "score + ?", [1])
    }

    // MARK: Running literals

    @Test(arguments: DatabaseKind.allCases)
    func valuesNeverChangeTheSQL(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let name = "Robert'); DROP TABLE player;--"
            try db.execute(literal: "INSERT INTO player (id, name) VALUES (\(4), \(name))")
            #expect(try db.playerNames == ["Anna", "Bo", "Cleo", name])
        }
    }

    @Test func executingSeveralStatements() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let sql = try db.tracing {
                try db.execute(
                    literal: """
                        UPDATE player SET score = \(1) WHERE name = \("Anna");
                        DELETE FROM player WHERE id = \(2);
                        """)
                try db.execute(literal: SQL(sql: "DELETE FROM player WHERE id = ?", arguments: [3]))
            }
            #expect(
                sql == [
                    "UPDATE player SET score = 1 WHERE name = 'Anna'",
                    "DELETE FROM player WHERE id = 2",
                    "DELETE FROM player WHERE id = 3",
                ])
        }
    }

    // MARK: Literals without parameters, for DDL

    @Test(arguments: [
        (DatabaseValue.null, "NULL"), (1.databaseValue, "1"), ((-1.5).databaseValue, "-1.5"),
        ("O'Brien".databaseValue, "'O''Brien'"), ("".databaseValue, "''"), (Data([0, 0xFF]).databaseValue, "X'00FF'"),
        (Data().databaseValue, "X''"), (Double.infinity.databaseValue, "9e999"),
        ("a\0b".databaseValue, "CAST(X'610062' AS TEXT)"),
    ])
    func valuesAsLiterals(_ value: DatabaseValue, _ literal: String) throws {
        try DatabaseKind.memory.run { db in
            var writer = SQLWriter(db, writesLiterals: true)
            writer.append(value)
            #expect(writer.sql == literal)
            #expect(writer.arguments.isEmpty)
            let stored = try DatabaseValue.fetchOne(db, sql: "SELECT " + writer.sql)
            #expect(stored == value)
        }
    }

    @Test func rawArgumentsAreRefusedWhereThereIsNoParameter() throws {
        try DatabaseKind.memory.run { db in
            var writer = SQLWriter(db, writesLiterals: true)
            #expect(throws: DatabaseError.self) { try writer.append(sql: "DEFAULT ?", arguments: [1]) }
            try writer.append(sql: "DEFAULT 1", arguments: [])
            #expect(writer.sql == "DEFAULT 1")
        }
    }
}
