import Amalgam
import Testing

private let library = """
    CREATE TABLE book (isbn TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID;
    CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
    CREATE VIEW titles AS SELECT title, isbn FROM book ORDER BY title DESC;
    INSERT INTO book VALUES ('b', 'Middlemarch'), ('a', 'Emma'), ('c', 'Dubliners');
    INSERT INTO author VALUES (2, 'Austen'), (1, 'Eliot');
    """

@Suite("The rows of tables")
struct TableDumpTests {
    @Test("of one table: rows only, by primary key")
    func oneTable() throws {
        try expectDump(library, "a|Emma\nb|Middlemarch\nc|Dubliners\n") { try $0.dumpTables(["book"], to: $1) }
        try expectDump(library, "1|Eliot\n2|Austen\n") { try $0.dumpTables(["author"], to: $1) }
    }

    @Test("of several: each with its name, apart")
    func severalTables() throws {
        try expectDump(library, "author\n1|Eliot\n2|Austen\n\nbook\na|Emma\nb|Middlemarch\nc|Dubliners\n") {
            try $0.dumpTables(["author", "book"], to: $1)
        }
    }

    @Test("a name can be asked for")
    func header() throws {
        try expectDump(library, "author\n1|Eliot\n2|Austen\n") {
            try $0.dumpTables(["author"], tableHeader: .always, to: $1)
        }
        try expectDump(library, "1|Eliot\n2|Austen\n") {
            try $0.dumpTables(["author"], tableHeader: .automatic, to: $1)
        }
    }

    @Test("views keep their order, or have a stable one")
    func views() throws {
        try expectDump(library, "Middlemarch|b\nEmma|a\nDubliners|c\n") { try $0.dumpTables(["titles"], to: $1) }
        try expectDump(library, "Dubliners|c\nEmma|a\nMiddlemarch|b\n") {
            try $0.dumpTables(["titles"], stableOrder: true, to: $1)
        }
    }

    @Test("empty tables have a name only")
    func emptyTables() throws {
        try expectDump("CREATE TABLE a (x); CREATE TABLE b (x)", "a\n\nb\n") {
            try $0.dumpTables(["a", "b"], to: $1)
        }
        try expectDump("CREATE TABLE a (x)", "") { try $0.dumpTables(["a"], to: $1) }
    }

    @Test("the format is used for each")
    func formats() throws {
        try expectDump(
            library, "author\n[{\"id\":1,\"name\":\"Eliot\"},\n{\"id\":2,\"name\":\"Austen\"}]\n\nempty\n[]\n"
        ) {
            try $0.execute(sql: "CREATE TABLE empty (x)")
            try $0.dumpTables(["author", "empty"], format: .json(), to: $1)
        }
    }

    @Test("names are quoted")
    func names() throws {
        try expectDump("CREATE TABLE \"a \"\"b\"\"\" (x); INSERT INTO \"a \"\"b\"\"\" VALUES (1)", "1\n") {
            try $0.dumpTables(["a \"b\""], to: $1)
        }
    }

    @Test("a table that is not there is an error")
    func missingTable() throws {
        try DatabaseQueue().write { db in
            let error = #expect(throws: DatabaseError.self) { try db.dumpTables(["nowhere"], to: Text()) }
            #expect(error?.message == "no such table: nowhere")
        }
    }
}

@Suite("The schema, and all content")
struct ContentDumpTests {
    private let schema = """
        CREATE TABLE zebra (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
        CREATE TABLE Apple (id INTEGER PRIMARY KEY);
        CREATE TABLE empty (id INTEGER PRIMARY KEY);
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        CREATE TRIGGER zTrigger AFTER INSERT ON zebra BEGIN SELECT 1; END;
        CREATE INDEX zIndex ON zebra(name);
        CREATE VIEW middle AS SELECT 1 AS one;
        CREATE VIRTUAL TABLE search USING fts5(body);
        INSERT INTO zebra VALUES (2, 'Bob'), (1, 'Anna');
        INSERT INTO Apple VALUES (1);
        INSERT INTO grdb_migrations VALUES ('v1');
        INSERT INTO search VALUES ('some text');
        ANALYZE;
        """

    private let schemaText = """
        sqlite_master
        CREATE TABLE Apple (id INTEGER PRIMARY KEY);
        CREATE TABLE empty (id INTEGER PRIMARY KEY);
        CREATE VIEW middle AS SELECT 1 AS one;
        CREATE VIRTUAL TABLE search USING fts5(body);
        CREATE TABLE zebra (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
        CREATE INDEX zIndex ON zebra(name);
        CREATE TRIGGER zTrigger AFTER INSERT ON zebra BEGIN SELECT 1; END;

        """

    @Test("statements by table, tables before their indexes and triggers; nothing of SQLite's and the library's own")
    func schemaOnly() throws {
        try expectDump(schema, schemaText) { try $0.dumpSchema(to: $1) }
    }

    @Test("content follows: tables by name, those of virtual tables left out")
    func content() throws {
        let rows = """

            Apple
            1

            empty

            search
            some text

            zebra
            1|Anna
            2|Bob

            """
        try expectDump(schema, schemaText + rows) { try $0.dumpContent(to: $1) }
    }

    @Test("in another format")
    func quoted() throws {
        let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'Anna')"
        try expectDump(
            schema,
            """
            sqlite_master
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);

            player
            1,'Anna'

            """
        ) { try $0.dumpContent(format: .quote(), to: $1) }
    }

    @Test("of an empty database")
    func emptyDatabase() throws {
        try expectDump("", "sqlite_master\n") { try $0.dumpSchema(to: $1) }
        try expectDump("", "sqlite_master\n") { try $0.dumpContent(to: $1) }
    }
}
