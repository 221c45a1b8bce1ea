import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Associations to many are fetched by statements of their own")
struct PrefetchTests {
    /// Returns the statements that a request runs, and its rows.
    private func run(_ db: Database, _ request: some FetchRequest) throws -> (sql: [String], rows: [Row]) {
        var rows: [Row] = []
        let sql = try db.tracing { rows = try Row.fetchAll(db, request) }
        return (sql, rows)
    }

    @Test("one statement for all rows")
    func direct() throws {
        try expectQuery(Team.including(all: Team.players.orderByPrimaryKey()).orderByPrimaryKey()) {
            """
            SELECT * FROM "team" ORDER BY "id"
            SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2, 3) ORDER BY "id"
            """
        } rows: {
            """
            1|Reds|red
              players: 1|Anna|100|1|1
              players: 2|Bob|20|1|1
            2|Blues|NULL
              players: 3|Cleo|30|2|2
            3|Greens|green
              players:
            """
        }
    }

    @Test("by way of another table")
    func through() throws {
        try expectQuery(
            Player.including(all: Player.countries.order(\.code)).filter(keys: [1, 3]).orderByPrimaryKey()
        ) {
            """
            SELECT * FROM "player" WHERE "id" IN (1, 3) ORDER BY "id"
            SELECT "country".*, "citizenship"."playerId" AS "grdb_playerId" FROM "country" \
            JOIN "citizenship" ON ("citizenship"."countryCode" = "country"."code") \
            AND ("citizenship"."playerId" IN (1, 3)) ORDER BY "country"."code"
            """
        } rows: {
            """
            1|Anna|100|1
              countries: DE|Germany|1
              countries: FR|France|1
            3|Cleo|30|2
              countries: FR|France|3
            """
        }
    }

    @Test("at any depth, in one statement each")
    func nested() throws {
        try expectQuery(
            Team
                .including(all: Team.players.including(all: Player.awards.orderByPrimaryKey()).orderByPrimaryKey())
                .orderByPrimaryKey()
        ) {
            """
            SELECT * FROM "team" ORDER BY "id"
            SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2, 3) ORDER BY "id"
            SELECT *, "playerId" AS "grdb_playerId" FROM "award" WHERE "playerId" IN (1, 2, 3) ORDER BY "id"
            """
        } rows: {
            """
            1|Reds|red
              players: 1|Anna|100|1|1
                awards: 1|1|goal|1
                awards: 2|1|match|1
              players: 2|Bob|20|1|1
                awards:
            2|Blues|NULL
              players: 3|Cleo|30|2|2
                awards: 3|3|season|3
            3|Greens|green
              players:
            """
        }
    }

    @Test("behind an association to one")
    func behindOne() throws {
        try withLeague { db in
            let request =
                Award
                .including(optional: Award.player.including(all: Player.citizenships))
                .orderByPrimaryKey()
            let (_, rows) = try run(db, request)
            let counts = rows.map { $0.scopes["player"]?.prefetchedRows["citizenships"]?.count }
            #expect(counts == [2, 2, 1])
            #expect(rows.map { $0.prefetchedRows["citizenships"]?.count } == [2, 2, 1])
        }
    }

    @Test("what is needed to tell the rows apart is selected, if need be")
    func hiddenColumns() throws {
        try expectQuery(Team.select(\.name).including(all: Team.players).order(\.id)) {
            """
            SELECT "name", "id" AS "grdb_id" FROM "team" ORDER BY "id"
            SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2, 3)
            """
        } rows: {
            """
            Reds|1
              players: 1|Anna|100|1|1
              players: 2|Bob|20|1|1
            Blues|2
              players: 3|Cleo|30|2|2
            Greens|3
              players:
            """
        }
    }

    @Test("two names, two populations")
    func names() throws {
        try withLeague { db in
            let request =
                Team
                .including(all: Team.players.filter { $0.score > 50 }.forKey("best"))
                .including(all: Team.players.filter { $0.score <= 50 }.forKey("others"))
                .orderByPrimaryKey()
            let (_, rows) = try run(db, request)
            #expect(rows.map { $0.prefetchedRows["best"]?.count } == [1, 0, 0])
            #expect(rows.map { $0.prefetchedRows["others"]?.count } == [1, 1, 0])
        }
    }

    @Test("keys of several columns, however many rows")
    func compositeKeys() throws {
        struct Parent: TableRecord {
            static let children = hasMany(Child.self)
        }
        struct Child: TableRecord {}
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (a INTEGER, b TEXT, PRIMARY KEY (a, b));
                    CREATE TABLE child (id INTEGER PRIMARY KEY, a INTEGER, b TEXT, FOREIGN KEY (a, b) REFERENCES parent);
                    WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 2000)
                    INSERT INTO parent SELECT x, 'p' || x FROM n;
                    INSERT INTO child (a, b) SELECT a, b FROM parent;
                    INSERT INTO child (a, b) VALUES (1, NULL);
                    """)
            let (sql, rows) = try run(db, Parent.including(all: Parent.children).limit(1500).orderByPrimaryKey())
            #expect(rows.count == 1500)
            #expect(rows.allSatisfy { $0.prefetchedRows["children"]?.count == 1 })
            #expect(
                sql.last == """
                    WITH "grdb_base" AS (SELECT "a", "b" FROM "parent" ORDER BY "a", "b" LIMIT 1500) \
                    SELECT *, "a" AS "grdb_a", "b" AS "grdb_b" FROM "child" WHERE ("a", "b") IN "grdb_base"
                    """)
            // Without a limit, the common table of keys has no order.
            let (ordered, parents) = try run(db, Parent.including(all: Parent.children).orderByPrimaryKey())
            #expect(parents.count == 2000)
            #expect(ordered.first == #"SELECT * FROM "parent" ORDER BY "a", "b""#)
            #expect(
                ordered.last == """
                    WITH "grdb_base" AS (SELECT "a", "b" FROM "parent") \
                    SELECT *, "a" AS "grdb_a", "b" AS "grdb_b" FROM "child" WHERE ("a", "b") IN "grdb_base"
                    """)
        }
    }

    @Test("distinct values")
    func distinctValues() throws {
        try withLeague { db in
            let request = Team.including(all: Team.players.select(\.name).distinct()).orderByPrimaryKey()
            let (sql, _) = try run(db, request)
            #expect(
                sql.last
                    == #"SELECT DISTINCT "name", "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2, 3)"#)
        }
    }

    @Test("groups with an aggregate are those of the association: it groups by the key of the rows that it belongs to")
    func groups() throws {
        struct Shelf: TableRecord {
            static let books = hasMany(Book.self)
            static let tags = hasMany(Tag.self, through: books, using: Book.tags)
        }
        struct Book: TableRecord {
            static let tags = hasMany(Tag.self)
        }
        struct Tag: TableRecord {}
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE shelf (id INTEGER PRIMARY KEY);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, shelfId INTEGER REFERENCES shelf, kind TEXT, year INTEGER);
                    CREATE TABLE tag (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, name TEXT);
                    INSERT INTO shelf VALUES (1), (2);
                    INSERT INTO book VALUES (1, 1, 'novel', 1999), (2, 1, 'novel', 2003), (3, 2, 'novel', 2001);
                    INSERT INTO tag VALUES (1, 1, 'war'), (2, 2, 'war'), (3, 3, 'war');
                    """)
            let (kind, name) = (Column("kind"), Column("name"))
            let latest = Shelf.books.select(kind, max(Column("year")).forKey("latest")).group(kind, Column("shelfId"))
            try expectQuery(db, Shelf.including(all: latest)) {
                """
                SELECT * FROM "shelf"
                SELECT "kind", MAX("year") AS "latest", "shelfId" AS "grdb_shelfId" FROM "book" \
                WHERE "shelfId" IN (1, 2) GROUP BY "kind", "shelfId"
                """
            } rows: {
                """
                1
                  books: novel|2003|1
                2
                  books: novel|2001|2
                """
            }

            // Exactly the groups of the association. A row of two shelves belongs to one of them.
            let kinds = Shelf.books.select(kind, max(Column("year")).forKey("latest")).group(kind)
            try expectQuery(db, Shelf.including(all: kinds)) {
                """
                SELECT * FROM "shelf"
                SELECT "kind", MAX("year") AS "latest", "shelfId" AS "grdb_shelfId" FROM "book" \
                WHERE "shelfId" IN (1, 2) GROUP BY "kind"
                """
            } rows: {
                """
                1
                  books: novel|2003|1
                2
                  books:
                """
            }

            // Through another table: two books have the tag, of two shelves.
            let book = TableAlias<Book>()
            let tags = Shelf.hasMany(Tag.self, through: Shelf.books.aliased(book), using: Book.tags)
                .select(name, count(name).forKey("count")).group(name, book[Column("shelfId")])
            try expectQuery(db, Shelf.including(all: tags)) {
                """
                SELECT * FROM "shelf"
                SELECT "tag"."name", COUNT("tag"."name") AS "count", "book"."shelfId" AS "grdb_shelfId" FROM "tag" \
                JOIN "book" ON ("book"."id" = "tag"."bookId") AND ("book"."shelfId" IN (1, 2)) \
                GROUP BY "tag"."name", "book"."shelfId"
                """
            } rows: {
                """
                1
                  tags: war|2|1
                2
                  tags: war|1|2
                """
            }

            // Without an aggregate, groups are made of the rows that belong to one row.
            let (names, _) = try run(db, Shelf.including(all: Shelf.books.select(kind).group(kind)))
            #expect(names.last!.hasSuffix(#"GROUP BY "kind", "shelfId""#))

            // A group by the key, or by the column, already has one row.
            let (counted, _) = try run(db, Shelf.including(all: Shelf.books.annotated(with: Book.tags.count)))
            #expect(counted.last!.hasSuffix(#"GROUP BY "book"."id""#))
            let (years, _) = try run(db, Shelf.including(all: Shelf.books.group(kind, Column("SHELFID"))))
            #expect(years.last!.hasSuffix(#"GROUP BY "kind", "SHELFID""#))
        }
    }

    @Test("one row fetches as well, a cursor does not")
    func oneRowAndCursors() throws {
        try withLeague { db in
            let row = try Row.fetchOne(db, Team.including(all: Team.players).filter(key: 1))
            #expect(row?.prefetchedRows["players"]?.count == 2)
            let error = #expect(throws: DatabaseError.self) {
                _ = try Row.fetchCursor(db, Team.including(all: Team.players))
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test("an association cannot be fetched, and be on the way to another one")
    func directAndIndirect() throws {
        try withLeague { db in
            let request = Team.including(all: Team.players).including(all: Team.awards)
            let error = #expect(throws: DatabaseError.self) { _ = try Row.fetchAll(db, request) }
            #expect(
                error?.message
                    == "Not implemented: merging a direct association and an indirect one with including(all:)")
        }
    }
}

@Suite("Rows are given to those they belong to as SQLite compares the columns")
struct PrefetchComparisonTests {
    private struct Parent: TableRecord {
        static let children = hasMany(Child.self)
        static let pairs = hasMany(
            Pair.self, using: ForeignKey(["parentId", "parentName"], to: ["id", "name"]))
    }

    private struct Child: TableRecord {}
    private struct Pair: TableRecord {}

    /// A collation in which strings are equal if they begin with the same letter, regardless of case.
    private static let firstLetter = DatabaseCollation("first letter") { lhs, rhs in
        let (lhs, rhs) = (lhs.prefix(1).lowercased(), rhs.prefix(1).lowercased())
        return lhs == rhs ? .orderedSame : lhs < rhs ? .orderedAscending : .orderedDescending
    }

    /// Expects the children of parents, in order, and the same children from a JOIN.
    private func expectChildren(
        _ parentType: String, _ childType: String, _ parents: String, _ children: String, _ expected: [[String]]
    ) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseQueue(configuration: configuration).write { db in
            db.add(collation: Self.firstLetter)
            try db.execute(
                sql: """
                    CREATE TABLE parent (id \(parentType) PRIMARY KEY);
                    CREATE TABLE child (parentId \(childType) REFERENCES parent(id), name TEXT);
                    INSERT INTO parent VALUES \(parents);
                    INSERT INTO child VALUES \(children);
                    """)
            let request = Parent.including(all: Parent.children.order(Column("name"))).order(Column.rowID)
            let rows = try Row.fetchAll(db, request)
            let names = rows.map { $0.prefetchedRows["children"]!.map { $0["name"] as String } }
            #expect(names == expected)
            let joined = try (1...expected.count).map { number in
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM parent JOIN child ON child.parentId = parent.id WHERE parent.rowid = ?
                        ORDER BY name
                        """, arguments: [number])
            }
            #expect(joined == expected)
        }
    }

    @Test("a text that refers to an integer")
    func texts() throws {
        try expectChildren("INTEGER", "TEXT", "(1), (2)", "('1', 'a'), (1, 'b'), ('2', 'c')", [["a", "b"], ["c"]])
    }

    @Test("an integer that refers to a text")
    func integers() throws {
        try expectChildren("TEXT", "INTEGER", "('1'), ('2')", "(1, 'a'), ('2', 'b')", [["a"], ["b"]])
        try expectChildren("TEXT", "INTEGER", "('1'), ('01'), ('x')", "(1, 'a'), ('x', 'b')", [["a"], ["a"], ["b"]])
    }

    @Test("reals and integers")
    func reals() throws {
        try expectChildren("REAL", "INTEGER", "(1), (2.5)", "(1, 'a'), (2.5, 'b')", [["a"], ["b"]])
        try expectChildren("", "REAL", "(1), (2.5)", "(1, 'a'), (2.5, 'b')", [["a"], ["b"]])
    }

    @Test("columns without a type: values as they are")
    func noAffinity() throws {
        try expectChildren(
            "", "BLOB", "(1), ('1'), (x'31')", "(1, 'a'), ('1', 'b'), (x'31', 'c')", [["a"], ["b"], ["c"]])
    }

    @Test("a column without a type holds numbers where the other one does")
    func otherAffinity() throws {
        try expectChildren(
            "INTEGER", "", "(1), (2), (3)", "('1', 'a'), (1, 'b'), ('2.0', 'c'), ('x', 'd'), (x'33', 'e')",
            [["a", "b"], ["c"], []])
        try expectChildren("INTEGER", "BLOB", "(1), (2)", "(' 1', 'a'), (2.0, 'b')", [["a"], ["b"]])
        try expectChildren("TEXT", "", "('1'), ('x')", "(1, 'a'), ('1', 'b'), ('x', 'c')", [["b"], ["c"]])
        try expectChildren("", "TEXT", "(1), ('1'), ('x')", "(1, 'a'), ('x', 'b')", [[], ["a"], ["b"]])
        try expectChildren("NUMERIC", "", "('x'), (1)", "('x', 'a'), ('1', 'b')", [["a"], ["b"]])
    }

    @Test("a text that is a number in more than one way")
    func numbersAsTexts() throws {
        try expectChildren(
            "INTEGER", "TEXT", "(1), (2)", "('1', 'a'), ('01', 'b'), ('2.0', 'c'), ('2x', 'd')", [["a", "b"], ["c"]])
    }

    @Test("the statement gets the columns where values alone are compared in another way")
    func statements() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (parentId REFERENCES parent(id));
                    INSERT INTO parent VALUES (1);
                    INSERT INTO child VALUES ('1');
                    """)
            try expectQuery(db, Parent.including(all: Parent.children)) {
                """
                SELECT * FROM "parent"
                WITH "grdb_base" AS (SELECT "id" FROM "parent") \
                SELECT *, "parentId" AS "grdb_parentId" FROM "child" WHERE ("parentId") IN "grdb_base"
                """
            } rows: {
                """
                1
                  children: '1'|'1'
                """
            }
        }
    }

    @Test("keys of several kinds, and more than a statement has parameters")
    func manyKeys() throws {
        try DatabaseQueue().write { db in
            try db.setLimit(.parameterCount, to: 3)
            try db.execute(
                sql: """
                    CREATE TABLE parent (id PRIMARY KEY);
                    CREATE TABLE child (parentId REFERENCES parent(id), name TEXT);
                    INSERT INTO parent VALUES (1), ('1'), (2), ('x'), (x'78');
                    INSERT INTO child SELECT id, typeof(id) FROM parent;
                    """)
            let rows = try Row.fetchAll(db, Parent.including(all: Parent.children).order(Column.rowID))
            let names = rows.map { $0.prefetchedRows["children"]!.map { $0["name"] as String } }
            #expect(names == [["integer"], ["text"], ["integer"], ["text"], ["blob"]])
        }
    }

    @Test("no statement is run for rows that have no key, nor for no row at all")
    func noKeys() throws {
        try withLeague { db in
            let request = Player.filter(key: 4).including(optional: Player.team.including(all: Team.players))
            let sql = try db.tracing { _ = try Row.fetchAll(db, Player.none().including(all: Player.awards)) }
            #expect(sql == [#"SELECT * FROM "player" WHERE 0"#])
            var rows: [Row] = []
            let count = try db.tracing { rows = try Row.fetchAll(db, request) }.count
            #expect(count == 1)
            #expect(rows.map { $0.scopes["team"]?.prefetchedRows["players"]?.count } == [0])
            // If an association has no rows, later associations aren't fetched.
            let none = Team.including(all: Team.players.none().including(all: Player.awards))
            let statements = try db.tracing { rows = try Row.fetchAll(db, none) }
            #expect(statements.count == 2)
            #expect(rows.map { $0.prefetchedRows["players"]?.count } == [0, 0, 0])
        }
    }

    @Test("texts in a collation of the app")
    func customCollation() throws {
        try expectChildren(
            #"TEXT COLLATE "first letter""#, #"TEXT COLLATE "first letter""#, "('Anna'), ('Bob'), ('')",
            "('ada', 'a'), ('Arthur', 'b'), ('bea', 'c'), ('Cleo', 'd'), ('', 'e')", [["a", "b"], ["c"], ["e"]])
        // The collation is that of the column on the left: `child.parentId = parent.id`.
        try expectChildren(
            "TEXT", #"TEXT COLLATE "first letter""#, "('Anna'), ('Bob'), ('Ada')", "('ada', 'a'), ('B', 'b')",
            [["a"], ["b"], ["a"]])
        try expectChildren(#"TEXT COLLATE "first letter""#, "TEXT", "('Anna'), ('Bob')", "('ada', 'a')", [[], []])
        // A string may refer to a number, in spite of its collation.
        try expectChildren(
            "INTEGER", #"TEXT COLLATE "first letter""#, "(1), (2)", "('1', 'a'), ('12', 'b')", [["a"], []])
    }

    @Test("texts without regard to case, or to blanks at the end")
    func collations() throws {
        try expectChildren(
            "TEXT COLLATE NOCASE", "TEXT COLLATE NOCASE", "('FR'), ('É')", "('fr', 'a'), ('É', 'c')",
            [["a"], ["c"]])
        try expectChildren(
            "TEXT COLLATE RTRIM", "TEXT COLLATE RTRIM", "('a'), ('b ')", "('a ', 'a'), ('b', 'b')", [["a"], ["b"]])
        try expectChildren("TEXT", "TEXT", "('FR'), ('fr')", "('fr', 'a'), ('FR', 'b')", [["b"], ["a"]])
    }

    @Test("texts of a view")
    func views() throws {
        struct Country: TableRecord {
            static let cities = hasMany(City.self, using: ForeignKey(["country"], to: ["code"]))
        }
        struct City: TableRecord {}
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (code TEXT COLLATE NOCASE PRIMARY KEY);
                    CREATE TABLE place (country TEXT COLLATE NOCASE, name TEXT);
                    CREATE VIEW city AS SELECT name, country FROM place;
                    INSERT INTO country VALUES ('FR'), ('DE');
                    INSERT INTO place VALUES ('fr', 'Nice'), ('FR', 'Lyon'), ('De', 'Ulm');
                    """)
            let rows = try Row.fetchAll(db, Country.including(all: Country.cities.order(Column("name"))))
            let cities = rows.map { $0.prefetchedRows["cities"]!.map { $0["name"] as String } }
            #expect(cities == [["Lyon", "Nice"], ["Ulm"]])

            // A computed column of a view has no collation.
            try db.execute(
                sql: "DROP VIEW city; CREATE VIEW city AS SELECT name, substr(country, 1) AS country FROM place")
            let others = try Row.fetchAll(db, Country.including(all: Country.cities))
            #expect(others.map { $0.prefetchedRows["cities"]!.map { $0["name"] as String } } == [["Lyon"], []])
        }
    }

    @Test("several columns, each by itself")
    func severalColumns() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER, name TEXT COLLATE NOCASE, PRIMARY KEY (id, name));
                    CREATE TABLE pair (parentId TEXT, parentName TEXT COLLATE NOCASE, title TEXT);
                    INSERT INTO parent VALUES (1, 'Anna'), (1, 'Bob'), (2, 'Anna');
                    INSERT INTO pair VALUES ('1', 'ANNA', 'a'), ('2', 'anna', 'b'), (NULL, 'Anna', 'c');
                    """)
            let rows = try Row.fetchAll(db, Parent.including(all: Parent.pairs).order(Column.rowID))
            let titles = rows.map { $0.prefetchedRows["pairs"]!.map { $0["title"] as String } }
            #expect(titles == [["a"], [], ["b"]])
        }
    }
}
