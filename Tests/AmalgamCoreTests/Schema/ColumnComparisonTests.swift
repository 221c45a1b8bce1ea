import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct ColumnComparisonTests {
    /// The rules of <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>, as SQLite applies them.
    @Test(arguments: [
        "INT", "INTEGER", "BIGINT", "UNSIGNED BIG INT", "CHARACTER(20)", "VARCHAR(255)", "NCHAR(55)", "TEXT", "CLOB",
        "BLOB", "",
        "REAL", "DOUBLE", "DOUBLE PRECISION", "FLOAT", "NUMERIC", "DECIMAL(10,5)", "BOOLEAN", "DATE", "DATETIME",
        "STRING",
        "FLOATING POINT", "CHARINT", "text",
    ])
    func affinities(_ type: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a \(type)); INSERT INTO t VALUES ('12'), (12)")
            let kinds = try Set(String.fetchAll(db, sql: "SELECT typeof(a) FROM t"))
            let expected: ColumnComparison.Affinity =
                kinds == ["text"] ? .text : kinds == ["text", "integer"] ? .none : .numeric
            let affinity = try db.comparison(ofColumn: "A", in: "T").affinity
            #expect(affinity == expected)
        }
    }

    private func expect(
        _ db: Database, _ column: String, _ table: String, _ expected: ColumnComparison,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let comparison = try db.comparison(ofColumn: column, in: table)
        #expect(comparison == expected, sourceLocation: sourceLocation)
    }

    @Test func collations() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a TEXT COLLATE NOCASE, b TEXT);
                    CREATE VIEW v AS SELECT b, a FROM t;
                    CREATE TEMP TABLE u (a INTEGER);
                    """)
            try expect(db, "a", "t", ColumnComparison(affinity: .text, collation: .nocase))
            try expect(db, "b", "t", ColumnComparison(affinity: .text))
            try expect(db, "rowid", "t", ColumnComparison(affinity: .numeric))
            try expect(db, "b", "v", ColumnComparison(affinity: .text, collation: nil))
            try expect(db, "c", "v", ColumnComparison(affinity: .none))
            try expect(db, "a", "u", ColumnComparison(affinity: .numeric))
            try expect(db, "a", "nowhere", ColumnComparison(affinity: .none))
        }
    }
}
