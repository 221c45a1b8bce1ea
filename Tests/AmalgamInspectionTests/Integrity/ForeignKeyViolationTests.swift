import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct ForeignKeyViolationTests {
    private func run(_ schema: String, _ test: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseKind.memory.run(configuration) { db in
            try db.execute(sql: schema)
            try test(db)
        }
    }

    private static let books = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), name TEXT);
        CREATE TABLE award (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book);
        INSERT INTO author VALUES (1, 'Herman');
        INSERT INTO book VALUES (1, 2, 'Moby-Dick'), (2, 1, 'Typee'), (3, 3, 'O''Brien''s'), (4, NULL, 'x');
        INSERT INTO award VALUES (1, 1), (2, 9);
        """

    private static let mobyDick =
        "FOREIGN KEY constraint violation - from book(authorId) to author(id), "
        + "in [id:1 authorId:2 name:\"Moby-Dick\"]"

    @Test func violations() throws {
        try run(Self.books) { db in
            let cursor = try db.foreignKeyViolations()
            var texts: [String] = []
            while let violation = try cursor.next() { texts.append(try violation.failureDescription(db)) }
            #expect(
                Set(texts) == [
                    Self.mobyDick,
                    "FOREIGN KEY constraint violation - from book(authorId) to author(id), "
                        + "in [id:3 authorId:3 name:\"O\\'Brien\\'s\"]",
                    "FOREIGN KEY constraint violation - from award(bookId) to book(id), in [id:2 bookId:9]",
                ])
        }
    }

    @Test func violationsOfATable() throws {
        try run(Self.books) { db in
            let violations = try Array(db.foreignKeyViolations(in: "book"))
            #expect(violations.map(\.originTable) == ["book", "book"])
            #expect(violations.map(\.originRowID) == [1, 3])
            #expect(violations.map(\.destinationTable) == ["author", "author"])
            #expect(violations.map(\.foreignKeyId) == [0, 0])
            #expect(
                violations[0].description == "FOREIGN KEY constraint violation - from book to author, in rowid 1")
            #expect(try Array(db.foreignKeyViolations(in: "author")).isEmpty)
        }
    }

    @Test func checks() throws {
        try run(Self.books) { db in
            let error = expectError(.SQLITE_CONSTRAINT, Self.mobyDick) { try db.checkForeignKeys(in: "BOOK") }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            #expect(error?.description == "SQLite error 19: \(Self.mobyDick)")
            try db.checkForeignKeys(in: "author")
            #expect(throws: DatabaseError.self) { try db.checkForeignKeys() }
            try db.execute(sql: "DELETE FROM award; DELETE FROM book")
            try db.checkForeignKeys()
        }
    }

    @Test func tablesWithoutRowid() throws {
        try run(
            """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (id TEXT PRIMARY KEY, teamId REFERENCES team) WITHOUT ROWID;
            INSERT INTO player VALUES ('a', 1);
            """
        ) { db in
            let violation = try #require(try db.foreignKeyViolations().next())
            #expect(violation.originRowID == nil)
            #expect(violation.description == "FOREIGN KEY constraint violation - from player to team")
            let text = "FOREIGN KEY constraint violation - from player(teamId) to team(id)"
            #expect(try violation.failureDescription(db) == text)
            expectError(.SQLITE_CONSTRAINT, text) { try db.checkForeignKeys() }
        }
    }

    @Test func severalColumns() throws {
        try run(
            """
            CREATE TABLE parent (a, b, PRIMARY KEY (b, a));
            CREATE TABLE child (x, y, FOREIGN KEY (x, y) REFERENCES parent);
            INSERT INTO child VALUES (1, 2);
            """
        ) { db in
            expectError(
                .SQLITE_CONSTRAINT,
                "FOREIGN KEY constraint violation - from child(x, y) to parent(b, a), in [x:1 y:2]"
            ) { try db.checkForeignKeys() }
        }
    }

    @Test func destinationsThatAreNotThere() throws {
        try run("CREATE TABLE child (x REFERENCES missing, rowid); INSERT INTO child VALUES (1, 2)") { db in
            expectError(
                .SQLITE_CONSTRAINT, "FOREIGN KEY constraint violation - from child(x) to missing, in [x:1 rowid:2]"
            ) { try db.checkForeignKeys() }
        }
    }

    @Test func destinationsThatAreNoKey() throws {
        try run(
            """
            CREATE TABLE parent (a);
            CREATE TABLE child (x REFERENCES parent(a));
            INSERT INTO child VALUES (1);
            """
        ) { db in
            let error = #expect(throws: DatabaseError.self) { try db.checkForeignKeys() }
            #expect(error?.message?.hasPrefix("foreign key mismatch") == true)
        }
    }

    @Test func otherDatabases() throws {
        try run(
            """
            ATTACH DATABASE ':memory:' AS other;
            CREATE TABLE main.team (id INTEGER PRIMARY KEY);
            CREATE TABLE other.team (inOther INTEGER PRIMARY KEY);
            CREATE TABLE temp.player (hidesTheOthers);
            CREATE TABLE main.player (inMain REFERENCES team);
            CREATE TABLE other.player (inOther REFERENCES team);
            INSERT INTO main.player VALUES (1);
            INSERT INTO other.player VALUES (2);
            """
        ) { db in
            expectError(
                .SQLITE_CONSTRAINT, "FOREIGN KEY constraint violation - from player(inMain) to team(id), in [inMain:1]"
            ) { try db.checkForeignKeys() }
            expectError(
                .SQLITE_CONSTRAINT,
                "FOREIGN KEY constraint violation - from player(inOther) to team(inOther), in [inOther:2]"
            ) { try db.checkForeignKeys(in: "player", in: "other") }
            try db.checkForeignKeys(in: "player")
        }
    }

    /// The error of a violation when its tables can't be looked up any more.
    @Test func tablesThatHaveGone() throws {
        try run(Self.books) { db in
            let violation = try #require(try db.foreignKeyViolations(in: "book").next())
            try db.execute(sql: "DROP TABLE book")
            expectError(.SQLITE_ERROR, "no such table: book") { _ = try violation.failureDescription(db) }
            let error = violation.databaseError(db)
            #expect(error.message == "FOREIGN KEY constraint violation - from book to author, in rowid 1")
            #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        }
    }

    @Test func rowsOfThePragma() throws {
        try run(Self.books) { db in
            let rows = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check(book)")
            var violation = ForeignKeyViolation(row: rows[0])
            #expect(try violation.failureDescription(db) == Self.mobyDick)
            violation.originRowID = 100
            #expect(
                try violation.failureDescription(db)
                    == "FOREIGN KEY constraint violation - from book(authorId) to author(id)")
        }
    }
}
