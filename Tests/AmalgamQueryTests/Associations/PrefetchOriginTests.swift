import Amalgam
import TestSupport
import Testing

private struct Author: TableRecord {
    static let books = hasMany(Book.self)
    static let prizes = hasMany(Prize.self)
    static let portrait = hasOne(Book.self).forKey("portrait")
}

private struct Book: TableRecord {
    static let author = belongsTo(Author.self)
    static let chapters = hasMany(Chapter.self)
    static let siblings = hasMany(Book.self, through: author, using: Author.books).forKey("siblings")
}

private struct Chapter: TableRecord {}

private struct Prize: TableRecord {
    static let author = belongsTo(Author.self)
    static let portrait = hasOne(Book.self, through: author, using: Author.portrait)
    static let photos = hasMany(Photo.self)
}

private struct Photo: TableRecord {}

@Suite("Associated rows belong to the row whose association includes them")
struct PrefetchOriginTests {
    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author);
                    CREATE TABLE chapter (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book);
                    CREATE TABLE prize (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author);
                    CREATE TABLE photo (id INTEGER PRIMARY KEY, prizeId INTEGER REFERENCES prize);
                    INSERT INTO author VALUES (1), (2);
                    INSERT INTO book VALUES (10, 1), (11, 1);
                    INSERT INTO chapter VALUES (100, 10), (101, 11);
                    INSERT INTO prize VALUES (1, 1), (5, 1);
                    INSERT INTO photo VALUES (77, 5), (78, 1);
                    """)
            try body(db)
        }
    }

    @Test("prefetched rows have two keys of the same name: that of their origin, and their own")
    func nestedKeys() throws {
        try withLibrary { db in
            let prizes = Author.prizes.including(all: Prize.photos)
            try expectQuery(db, Book.filter(key: 10).including(required: Book.author.including(all: prizes))) {
                """
                SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" \
                WHERE "book"."id" = 10
                SELECT "prize".*, "author"."id" AS "grdb_id" FROM "prize" \
                JOIN "author" ON ("author"."id" = "prize"."authorId") AND ("author"."id" = 1)
                SELECT *, "prizeId" AS "grdb_prizeId" FROM "photo" WHERE "prizeId" IN (1, 5)
                """
            } rows: {
                """
                10|1
                  author: 1
                    prizes: 1|1|1
                      photos: 78|1|1
                    prizes: 5|1|1
                      photos: 77|5|5
                  prizes: 1|1|1
                    photos: 78|1|1
                  prizes: 5|1|1
                    photos: 77|5|5
                """
            }
            let siblings = Book.siblings.including(all: Book.chapters).orderByPrimaryKey()
            let book = try #require(try Row.fetchOne(db, Book.filter(key: 10).including(all: siblings)))
            let chapters = book.prefetchedRows["siblings"]?.map {
                $0.prefetchedRows["chapters"]?.map { $0["id"] as Int }
            }
            #expect(chapters == [[100], [101]])
        }
    }

    @Test("a key that prefetched rows don't select is selected under a third name")
    func hiddenKeys() throws {
        try withLibrary { db in
            let siblings = Book.siblings.select(Column("authorId")).including(all: Book.chapters)
            try expectQuery(db, Book.filter(key: 10).including(all: siblings)) {
                """
                SELECT * FROM "book" WHERE "id" = 10
                SELECT "book"."authorId", "author"."id" AS "grdb_id", "book"."id" AS "grdb_id_2" FROM "book" \
                JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."id" = 1)
                SELECT *, "bookId" AS "grdb_bookId" FROM "chapter" WHERE "bookId" IN (10, 11)
                """
            } rows: {
                """
                10|1
                  siblings: 1|1|10
                    chapters: 100|10|10
                  siblings: 1|1|11
                    chapters: 101|11|11
                """
            }
        }
    }

    @Test("another value with the name of the key isn't the key")
    func renamedColumns() throws {
        try withLibrary { db in
            let request = Author.select((Column("id") + 1).forKey("id"), Column("id")).including(all: Author.prizes)
            let rows = try Row.fetchAll(db, request.order(Column("id")))
            #expect(rows.map { $0.prefetchedRows["prizes"]?.count } == [2, 0])
            let other = TableAlias<Prize>()
            let renamed = Author.joining(required: Author.prizes.aliased(other).order(Column("id")))
                .select(other[Column("id")], Column("id")).including(all: Author.books)
            #expect(try Row.fetchAll(db, renamed).map { $0.prefetchedRows["books"]?.count } == [2, 2])
        }
    }

    @Test("the rowid is a key, although it isn't a column")
    func rowIDs() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (name TEXT);
                    CREATE TABLE child (parentId INTEGER);
                    INSERT INTO parent VALUES ('a'), ('b');
                    INSERT INTO child VALUES (2), (2);
                    """)
            let parents = Table("parent")
            let children = parents.hasMany(Table("child"), using: ForeignKey(["parentId"], to: ["rowid"]))
            let rows = try Row.fetchAll(db, parents.including(all: children))
            #expect(rows.map { $0.prefetchedRows["children"]?.count } == [0, 2])
        }
    }

    @Test("each row with a row of a joined to-many association receives what belongs to this row")
    func belowMany() throws {
        try withLibrary { db in
            let request = Author.including(optional: Author.books.including(all: Book.chapters)).order(Column("id"))
            try expectQuery(db, request) {
                """
                SELECT "author".*, "book"."id" AS "grdb_book_id", "book".* FROM "author" \
                LEFT JOIN "book" ON "book"."authorId" = "author"."id" ORDER BY "author"."id"
                SELECT *, "bookId" AS "grdb_bookId" FROM "chapter" WHERE "bookId" IN (10, 11)
                """
            } rows: {
                """
                1|10
                  book: 10|1
                    chapters: 100|10|10
                  chapters: 100|10|10
                1|11
                  book: 11|1
                    chapters: 101|11|11
                  chapters: 101|11|11
                2|NULL
                  book: NULL|NULL
                    chapters:
                  chapters:
                """
            }
            let joined = try Row.fetchAll(
                db, Author.joining(required: Author.books.including(all: Book.chapters).order(Column("id").desc)))
            #expect(joined.map { $0.prefetchedRows["chapters"]?.map { $0["id"] as Int } } == [[101], [100]])
        }
    }

    @Test("a joined row that the schema proves to be the only one is found by the key of the first join")
    func belowOne() throws {
        try withLibrary { db in
            let request = Author.including(required: Author.portrait.including(all: Book.chapters)).limit(1)
            func statement() throws -> String {
                try db.tracing { _ = try Row.fetchAll(db, request) }[1]
            }
            #expect(
                try statement()
                    == #"SELECT *, "bookId" AS "grdb_bookId" FROM "chapter" WHERE "bookId" = 10"#)
            try db.execute(
                sql: """
                    DELETE FROM chapter WHERE bookId = 11;
                    DELETE FROM book WHERE id = 11;
                    CREATE UNIQUE INDEX bookAuthor ON book(authorId)
                    """)
            #expect(
                try statement() == """
                    SELECT "chapter".*, "book"."authorId" AS "grdb_authorId" FROM "chapter" \
                    JOIN "book" ON ("book"."id" = "chapter"."bookId") AND ("book"."authorId" = 1)
                    """)
        }
    }

    @Test("a joined row that isn't fetched is the only one, if the association is one to at most one row")
    func belowJoinedOne() throws {
        try withLibrary { db in
            let request = Prize.joining(optional: Prize.portrait.including(all: Book.chapters)).filter(key: 5)
            try expectQuery(db, request) {
                """
                SELECT "prize".* FROM "prize" LEFT JOIN "author" ON "author"."id" = "prize"."authorId" \
                LEFT JOIN "book" ON "book"."authorId" = "author"."id" WHERE "prize"."id" = 5
                SELECT "chapter".*, "author"."id" AS "grdb_id" FROM "chapter" \
                JOIN "book" ON "book"."id" = "chapter"."bookId" \
                JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."id" = 1)
                """
            } rows: {
                """
                5|1
                  chapters: 100|10|1
                  chapters: 101|11|1
                5|1
                  chapters: 100|10|1
                  chapters: 101|11|1
                """
            }
        }
    }

    @Test("a unique key doesn't prove that one row is joined, if the JOIN compares less exactly")
    func inexactKeys() throws {
        for (type, index) in [("TEXT", "code"), ("TEXT COLLATE NOCASE", "code COLLATE BINARY")] {
            try DatabaseQueue().write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE person (id INTEGER PRIMARY KEY, code \(type == "TEXT" ? "INTEGER" : "TEXT"));
                        CREATE TABLE country (code \(type));
                        CREATE UNIQUE INDEX countryCode ON country(\(index));
                        CREATE TABLE city (country TEXT, name TEXT);
                        INSERT INTO person VALUES (1, \(type == "TEXT" ? "1" : "'a'"));
                        INSERT INTO country VALUES \(type == "TEXT" ? "('1'), ('1.0')" : "('a'), ('A')");
                        INSERT INTO city SELECT code, 'city ' || code FROM country;
                        """)
                let (person, country) = (Table("person"), Table("country"))
                let cities = country.hasMany(Table("city"), using: ForeignKey(["country"], to: ["code"]))
                let home = person.belongsTo(country, using: ForeignKey(["code"], to: ["code"]))
                let rows = try Row.fetchAll(db, person.including(required: home.including(all: cities)))
                let names = rows.map { row in
                    row.prefetchedRows["cities"]!.map { "\(row.scopes["country"]!["code"]!)|\($0["name"]!)" }
                }
                #expect(
                    Set(names) == (type == "TEXT" ? [["1|city 1"], ["1.0|city 1.0"]] : [["a|city a"], ["A|city A"]]))
            }
        }
    }

    @Test("keys of several columns")
    func compositeKeys() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE shop (id INTEGER PRIMARY KEY);
                    CREATE TABLE shelf (shopId INTEGER, a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
                    CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
                    INSERT INTO shop VALUES (1);
                    INSERT INTO shelf VALUES (1, 1, 'x'), (1, 1, 'y');
                    INSERT INTO item VALUES (7, 1, 'y'), (8, 1, 'x');
                    """)
            let (shop, shelf) = (Table("shop"), Table("shelf"))
            let items = shelf.hasMany(Table("item"), using: ForeignKey(["a", "b"]))
            let shelves = shop.hasMany(shelf, using: ForeignKey(["shopId"])).including(all: items)
            try expectQuery(db, shop.including(required: shelves)) {
                """
                SELECT "shop".*, "shelf"."a" AS "grdb_shelf_a", "shelf"."b" AS "grdb_shelf_b", "shelf".* FROM "shop" \
                JOIN "shelf" ON "shelf"."shopId" = "shop"."id"
                WITH "grdb_base" AS (SELECT "shelf"."a", "shelf"."b" FROM "shop" \
                JOIN "shelf" ON "shelf"."shopId" = "shop"."id") \
                SELECT *, "a" AS "grdb_a", "b" AS "grdb_b" FROM "item" WHERE ("a", "b") IN "grdb_base"
                """
            } rows: {
                """
                1|1|x
                  shelf: 1|1|x
                    items: 8|1|x|1|x
                  items: 8|1|x|1|x
                1|1|y
                  shelf: 1|1|y
                    items: 7|1|y|1|y
                  items: 7|1|y|1|y
                """
            }
            // The region has the keys, also if the request fetches no column of the joined table.
            let region = try shop.joining(required: shelves).databaseRegion(db)
            for column in ["shopId", "a", "b"] {
                let update = DatabaseEventKind.update(tableName: "shelf", columnNames: [column])
                #expect(region.isModified(byEventsOfKind: update), "\(column)")
            }
        }
    }

    @Test("rows of a recursive common table expression, whose columns are unknown")
    func recursiveCommonTable() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE part (id INTEGER PRIMARY KEY, parentId INTEGER);
                    CREATE TABLE item (id INTEGER PRIMARY KEY, partId INTEGER);
                    INSERT INTO part VALUES (1, NULL), (2, 1), (3, 2);
                    INSERT INTO item VALUES (7, 3), (8, 1);
                    """)
            let tree = CommonTableExpression(
                recursive: true, named: "tree",
                sql: """
                    SELECT * FROM part WHERE id = 1
                    UNION ALL SELECT part.* FROM part JOIN tree ON part.parentId = tree.id
                    """)
            let items = Table("part").hasMany(Table("item"), using: ForeignKey(["partId"], to: ["id"])).forKey("items")
            let rows = try Row.fetchAll(db, tree.all().with(tree).including(all: items))
            #expect(rows.map { $0.prefetchedRows["items"]!.map { $0["id"] as Int } } == [[8], [], [7]])

            let named = Table("tree").filter(Column("id") > 1).with(tree)
            let some = try Row.fetchAll(db, named.including(all: items))
            #expect(some.map { $0.prefetchedRows["items"]!.map { $0["id"] as Int } } == [[], [7]])
        }
    }
}
