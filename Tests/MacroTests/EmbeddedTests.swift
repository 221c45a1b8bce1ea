#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

@Embeddable
private struct Position: Equatable {
    var latitude: Double
    var longitude: Double
}

private enum Kind: String { case street, box }

@Embeddable
private struct Address: Equatable {
    var street: String
    @Column("zip") var code: String?
    @Column(as: .rawValue) var kind: Kind
    @Column(as: .unixTime) var since: Date
    @Embedded(prefix: "at_") var position: Position?
    @Ignored var isVerified = false
}

@Record("customer")
private struct Customer: Equatable {
    @Key var id: Int64?
    @Embedded(prefix: "home_") var home: Address
    var name: String
    @Embedded(prefix: "work_") var work: Address?
    @Embedded var place: Position = Position(latitude: 0, longitude: 0)
}

@Record("stay")
private struct Stay: Equatable {
    @Key var id: Int64
    var customerId: Int64

    static let customer = belongsTo(Customer.self)
}

@Selection
private struct StayInfo {
    var stay: Stay
    var customer: Customer
}

/// A group that is read only.
@Selection
private struct CustomerHome: Equatable {
    var name: String
    @Embedded(prefix: "home_") var home: Address?
}

@Suite("@Embedded")
struct EmbeddedTests {
    private let table = """
        CREATE TABLE customer (
            id INTEGER PRIMARY KEY,
            home_street TEXT NOT NULL, home_zip TEXT, home_kind TEXT NOT NULL, home_since INTEGER NOT NULL,
            home_at_latitude REAL, home_at_longitude REAL,
            name TEXT NOT NULL,
            work_street TEXT, work_zip TEXT, work_kind TEXT, work_since INTEGER,
            work_at_latitude REAL, work_at_longitude REAL,
            latitude REAL NOT NULL, longitude REAL NOT NULL)
        """

    private let customers = [
        Customer(
            id: 1,
            home: Address(
                street: "Main", code: "1", kind: .street, since: Date(timeIntervalSince1970: 60),
                position: Position(latitude: 1.5, longitude: 2)),
            name: "Anna",
            work: Address(street: "Side", code: nil, kind: .box, since: Date(timeIntervalSince1970: 70), position: nil),
            place: Position(latitude: 3, longitude: 4)),
        Customer(
            id: 2, home: Address(street: "Hill", code: nil, kind: .box, since: Date(timeIntervalSince1970: 80)),
            name: "Bo", work: nil),
    ]

    private func withCustomers<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(sql: table)
            for var customer in customers {
                customer.id = nil
                try customer.insert(db)
            }
            return try body(db)
        }
    }

    @Test("columns are written, also those of a property that is nil, and read by position and by name")
    func reading() throws {
        try withCustomers { db in
            expectEqual(
                try Row.fetchAll(db, sql: "SELECT * FROM customer").map { "\($0)" },
                [
                    """
                    [id:1 home_street:"Main" home_zip:"1" home_kind:"street" home_since:60 home_at_latitude:1.5 \
                    home_at_longitude:2.0 name:"Anna" work_street:"Side" work_zip:NULL work_kind:"box" work_since:70 \
                    work_at_latitude:NULL work_at_longitude:NULL latitude:3.0 longitude:4.0]
                    """,
                    """
                    [id:2 home_street:"Hill" home_zip:NULL home_kind:"box" home_since:80 home_at_latitude:NULL \
                    home_at_longitude:NULL name:"Bo" work_street:NULL work_zip:NULL work_kind:NULL work_since:NULL \
                    work_at_latitude:NULL work_at_longitude:NULL latitude:0.0 longitude:0.0]
                    """,
                ])
            expectEqual(try Customer.order(\.id).fetchAll(db), customers)
            expectEqual(try Customer.fetchOne(db, key: 2), customers[1])
            // Copied rows, and columns in another order.
            let sql = """
                SELECT longitude, latitude, name, work_at_longitude, 'x' AS street, * FROM customer ORDER BY id
                """
            expectEqual(try Row.fetchAll(db, sql: "SELECT * FROM customer").map { try Customer(row: $0) }, customers)
            expectEqual(try Customer.fetchAll(db, sql: sql), customers)
            expectEqual(
                try Address.fetchOne(
                    db,
                    sql:
                        "SELECT 'Main' AS street, '1' AS zip, 'street' AS kind, 60 AS since, 1.5 AS at_latitude, 2 AS at_longitude"
                ),
                customers[0].home)
        }
    }

    @Test("selections, joins and adapters")
    func joins() throws {
        try withCustomers { db in
            try db.execute(
                sql: """
                    CREATE TABLE stay (id INTEGER PRIMARY KEY, customerId INTEGER REFERENCES customer);
                    INSERT INTO stay VALUES (5, 2), (6, 1);
                    """)
            let infos = try Stay.including(required: Stay.customer).order(\.id).asRequest(of: StayInfo.self).fetchAll(
                db)
            expectEqual(infos.map(\.customer), [customers[1], customers[0]])
            let sql = "SELECT 'x' AS name, 'y' AS home_street, customer.* FROM customer ORDER BY id"
            expectEqual(try Customer.fetchAll(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 2)), customers)
            expectEqual(
                try Customer.all().order(\.id).asRequest(of: CustomerHome.self).fetchAll(db),
                customers.map { CustomerHome(name: $0.name, home: $0.home) })
            expectEqual(
                try CustomerHome.fetchAll(db, sql: "SELECT name FROM customer ORDER BY id"),
                customers.map { CustomerHome(name: $0.name, home: nil) })
        }
    }

    @Test("typed columns of groups, and of groups in groups")
    func columns() throws {
        try withCustomers { db in
            func sql(_ request: QueryInterfaceRequest<Customer>) throws -> String {
                let statement = try request.select(\.id).makePreparedRequest(db, forSingleResult: false).statement
                return "\(statement.sql) \(statement.arguments)"
            }
            expectEqual(
                try sql(Customer.filter { $0.home.street == "Main" && $0.home.kind == .street }),
                #"SELECT "id" FROM "customer" WHERE ("home_street" = ?) AND ("home_kind" = ?) ["Main", "street"]"#)
            let date = Date(timeIntervalSince1970: 65)
            expectEqual(
                try sql(Customer.filter { $0.work.since > date && $0.work.street != nil && $0.work.code == nil }),
                """
                SELECT "id" FROM "customer" WHERE ("work_since" > ?) AND ("work_street" IS NOT NULL) \
                AND ("work_zip" IS NULL) [65]
                """)
            expectEqual(
                try sql(Customer.filter { $0.home.position.latitude > 1 && $0.work.position.longitude == nil }),
                """
                SELECT "id" FROM "customer" WHERE ("home_at_latitude" > ?) AND ("work_at_longitude" IS NULL) [1.0]
                """)
            expectEqual(
                try Customer.filter { $0.home.position.latitude > 1 && $0.place.longitude == 4 }.fetchAll(db),
                [customers[0]])
            try Customer.filter { $0.id == 2 }.updateAll(db) {
                [$0.home.kind.set(to: .street), $0.work.street.set(to: nil)]
            }
            expectEqual(try Customer.fetchOne(db, key: 2)?.home.kind, .street)
        }
    }

    @Test("updates, saves and changes")
    func updates() throws {
        try withCustomers { db in
            var customer = customers[0]
            customer.home.street = "Other"
            customer.work = nil
            expectEqual(
                try customer.databaseChanges(from: customers[0]).keys.sorted(),
                ["home_street", "work_kind", "work_since", "work_street"])
            try customer.update(db)
            expectEqual(try Customer.fetchOne(db, key: 1), customer)
            try customer.upsert(db)
            expectEqual(try Customer.fetchCount(db), 2)
        }
    }

    @Test("columns that a row doesn't have, and NULL")
    func missingColumns() throws {
        try withCustomers { db in
            let columns = "1 AS id, 'A' AS name, 'box' AS home_kind, 60 AS home_since"
            let customer = try Customer.fetchOne(db, sql: "SELECT 'Main' AS home_street, \(columns)")
            expectEqual(customer?.home.street, "Main")
            expectEqual(customer?.work, nil)
            expectEqual(customer?.place, Position(latitude: 0, longitude: 0))
            let missing = #expect(throws: RowDecodingError.self) {
                _ = try Customer.fetchOne(db, sql: "SELECT \(columns)")
            }
            #expect(missing.map { "\($0)" }?.contains("home_street") == true)
            let null = #expect(throws: RowDecodingError.self) {
                _ = try Customer.fetchOne(db, sql: "SELECT NULL AS home_street, \(columns)")
            }
            #expect(null.map { "\($0)" }?.contains("home_street") == true)
            // A part of a group isn't nil.
            let partial = #expect(throws: RowDecodingError.self) {
                _ = try Customer.fetchOne(db, sql: "SELECT 'Main' AS home_street, 'x' AS work_zip, \(columns)")
            }
            #expect(partial.map { "\($0)" }?.contains("work_street") == true)
        }
    }

    @Test("db.verify compares the columns of groups")
    func verification() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: table)
            try db.verify(Customer.self)
            try db.execute(
                sql: """
                    ALTER TABLE customer RENAME COLUMN home_at_latitude TO other;
                    ALTER TABLE customer DROP COLUMN work_zip;
                    ALTER TABLE customer ADD COLUMN work_zip TEXT NOT NULL DEFAULT '';
                    """)
            let error = #expect(throws: RecordVerificationError.self) { try db.verify(Customer.self) }
            expectEqual(
                error?.differences.map { "\($0.column): \($0.message)" },
                [
                    "home_at_latitude: the table has no such column",
                    "work_zip: the property is optional, and the column is NOT NULL",
                ])
        }
    }

    @Test("insertions are direct")
    func directInsertions() throws {
        try withCustomers { db in
            var third = customers[0]
            third.id = nil
            third.work?.position = Position(latitude: 7, longitude: 8)
            try third.insert(db)
            expectEqual(third.id, 3)
            expectEqual(try Customer.fetchOne(db, key: 3), third)
        }
    }
}
#endif
