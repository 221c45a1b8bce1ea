/// The schema of the world: tables of every kind, and what belongs to them.
enum Schema {
    static let tables: [TableSpec] = [
        TableSpec(
            name: "player", kind: .rowid,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys), ColumnSpec(name: "team"),
                ColumnSpec(name: "name"),
            ], rowIDColumn: 0),
        TableSpec(name: "team", kind: .keyless, columns: [ColumnSpec(name: "team"), ColumnSpec(name: "city")]),
        TableSpec(
            name: "letters", kind: .withoutRowID,
            columns: [ColumnSpec(name: "k", affinity: .text, collation: .nocase), ColumnSpec(name: "a")],
            primaryKey: [0], isWithoutRowID: true),
        TableSpec(
            name: "nocase", kind: .collatedKey,
            columns: [
                ColumnSpec(name: "k", affinity: .text, collation: .nocase, isNotNull: true), ColumnSpec(name: "a"),
                ColumnSpec(name: "b", affinity: .real),
            ], primaryKey: [0]),
        TableSpec(
            name: "trimmed", kind: .nullableKey,
            columns: [ColumnSpec(name: "k", affinity: .text, collation: .rtrim), ColumnSpec(name: "v")],
            primaryKey: [0]),
        TableSpec(
            name: "pair", kind: .compositeKey,
            columns: [ColumnSpec(name: "a"), ColumnSpec(name: "b"), ColumnSpec(name: "c")], primaryKey: [0, 1]),
        TableSpec(
            name: "strict", kind: .strict,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys), ColumnSpec(name: "r", affinity: .real),
                ColumnSpec(name: "b"), ColumnSpec(name: "t", affinity: .text),
            ], rowIDColumn: 0, isStrict: true, uniques: [UniqueSpec(columns: [3], conflict: .ignore)]),
        TableSpec(
            name: "counted", kind: .autoincrement,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys), ColumnSpec(name: "u"),
                ColumnSpec(name: "b", affinity: .integer),
            ], rowIDColumn: 0, isAutoincrement: true, uniques: [UniqueSpec(columns: [1], conflict: .replace)]),
        TableSpec(
            name: "computed", kind: .generated,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys),
                ColumnSpec(name: "g", generation: .virtual(of: 2)), ColumnSpec(name: "a"),
                ColumnSpec(name: "s", generation: .stored(of: 2)), ColumnSpec(name: "b"),
            ], rowIDColumn: 0),
        TableSpec(
            name: "refusing", kind: .conflictClause,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys), ColumnSpec(name: "u"),
                ColumnSpec(name: "b"),
            ], rowIDColumn: 0, primaryKeyConflict: .ignore, uniques: [UniqueSpec(columns: [1], conflict: .fail)]),
        TableSpec(
            name: "strictest", kind: .conflictClause,
            columns: [ColumnSpec(name: "r"), ColumnSpec(name: "b")],
            uniques: [UniqueSpec(columns: [0], conflict: .rollback)]),
        TableSpec(
            name: "parent", kind: .cascadeParent,
            columns: [ColumnSpec(name: "id", affinity: .integer, domain: .keys), ColumnSpec(name: "name")],
            rowIDColumn: 0),
        TableSpec(
            name: "child", kind: .cascadeChild,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys),
                ColumnSpec(name: "p", affinity: .integer, domain: .parents),
                ColumnSpec(name: "q", affinity: .integer, domain: .parents),
            ], rowIDColumn: 0,
            foreignKeys: [
                ForeignKeySpec(column: 1, parent: "parent", deletes: true),
                ForeignKeySpec(column: 2, parent: "parent", deletes: false),
            ]),
        TableSpec(
            name: "noted", kind: .triggers,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys),
                ColumnSpec(name: "text", affinity: .text, domain: .words),
            ], rowIDColumn: 0, log: "note"),
        TableSpec(name: "note", kind: .keyless, columns: [ColumnSpec(name: "what"), ColumnSpec(name: "id")]),
        TableSpec(
            name: "document", kind: .json,
            columns: [
                ColumnSpec(name: "id", affinity: .integer, domain: .keys),
                ColumnSpec(name: "j", affinity: .text, domain: .json), ColumnSpec(name: "b", domain: .jsonb),
            ], rowIDColumn: 0),
        TableSpec(
            name: "book", kind: .fullText,
            columns: [ColumnSpec(name: "title", domain: .words), ColumnSpec(name: "body", domain: .words)],
            fullText: "title, body"),
        TableSpec(
            name: "page", kind: .fullText,
            columns: [ColumnSpec(name: "title", domain: .words), ColumnSpec(name: "body", domain: .words)],
            fullText: "title, body, prefix='1'"),
        TableSpec(
            name: "bare", kind: .contentless,
            columns: [ColumnSpec(name: "title", domain: .words), ColumnSpec(name: "body", domain: .words)],
            fullText: "title, body, content='', contentless_delete=1"),
    ]

    static func table(_ name: String) -> TableSpec { tables.first { $0.name == name }! }

    /// Statements that follow those that create the tables.
    static let additions = [
        "CREATE INDEX playerOnTeam ON player(team)",
        "CREATE VIEW cities AS SELECT city, count(*) AS n FROM team GROUP BY city",
        "CREATE VIRTUAL TABLE words USING fts5(text, content='noted', content_rowid='id')",
        """
        CREATE TRIGGER noted_insert AFTER INSERT ON noted BEGIN \
        INSERT INTO note VALUES ('insert', new.id); \
        INSERT INTO words(rowid, text) VALUES (new.id, new.text); END
        """,
        """
        CREATE TRIGGER noted_delete AFTER DELETE ON noted BEGIN \
        INSERT INTO note VALUES ('delete', old.id); \
        INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text); END
        """,
        """
        CREATE TRIGGER noted_update AFTER UPDATE ON noted BEGIN \
        INSERT INTO note VALUES ('update', old.id); \
        INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text); \
        INSERT INTO words(rowid, text) VALUES (new.id, new.text); END
        """,
        "CREATE TABLE clock (t INTEGER NOT NULL)",
        "INSERT INTO clock VALUES (0)",
    ]

    static var sql: [String] { tables.map(\.sql) + additions }
}
