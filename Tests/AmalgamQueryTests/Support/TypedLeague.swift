import Amalgam
import AmalgamQuery
import Foundation
import TestSupport
import Testing

/// The color of a jersey, which is stored as its raw value.
enum Jersey: String, DatabaseValueConvertible { case red, blue }

/// A player with typed columns.
struct Athlete: TableRecord {
    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let name = TypedColumn<String>("name")
        static let nickname = TypedColumn<String?>("nickname")
        static let score = TypedColumn<Int>("score")
        static let bonus = TypedColumn<Int?>("bonus")
        static let rate = TypedColumn<Double>("rate")
        static let squadID = TypedColumn<Int64?>("squad_id")
        static let birthday = TypedColumn<Date?>("birthday")
        static let jersey = TypedColumn<Jersey>("jersey")
        static let isActive = TypedColumn<Bool>("isActive")
        static let isPaid = TypedColumn<Bool?>("isPaid")
        static let tags = TypedColumn<[String]>("tags")
        static let notes = TypedColumn<[String]?>("notes")
        /// Seconds since 1970.
        static let joined = TypedColumn<Date>(
            "joined", encode: { Int64($0.timeIntervalSince1970).databaseValue },
            decode: { Int64.fromDatabaseValue($0).map { Date(timeIntervalSince1970: TimeInterval($0)) } })
    }

    static let squad = belongsTo(Squad.self, using: ForeignKey([Columns.squadID]))
}

struct Squad: TableRecord {
    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let name = TypedColumn<String>("name")
    }

    static let athletes = hasMany(Athlete.self, using: ForeignKey([Athlete.Columns.squadID]))
}

/// Runs a test on four athletes: Anna, Bob, Cleo and Dan.
func withAthletes<T>(_ test: (Database) throws -> T) throws -> T {
    try DatabaseQueue().write { db in
        try db.execute(
            sql: """
                CREATE TABLE squad (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE athlete (
                    id INTEGER PRIMARY KEY, name TEXT NOT NULL, nickname TEXT, score INTEGER NOT NULL, bonus INTEGER,
                    rate REAL NOT NULL, squad_id INTEGER REFERENCES squad, birthday TEXT, jersey TEXT NOT NULL,
                    isActive BOOLEAN NOT NULL, isPaid BOOLEAN, tags JSON NOT NULL, notes JSON,
                    joined INTEGER NOT NULL);
                INSERT INTO squad VALUES (1, 'Reds'), (2, 'Blues');
                INSERT INTO athlete VALUES
                    (1, 'Anna', 'Ann', 100, 5, 1.5, 1, '2000-01-01 00:00:00.000', 'red', 1, 1, '["a"]', '[]', 60),
                    (2, 'Bob', NULL, 20, NULL, 2.5, 1, NULL, 'blue', 0, NULL, '["b"]', NULL, 120),
                    (3, 'Cleo', NULL, 30, 30, 0.5, 2, '2010-06-30 12:00:00.000', 'red', 1, 0, '["a"]', '["a"]', 180),
                    (4, 'Dan', 'Dan', 5, NULL, 4, NULL, NULL, 'blue', 0, NULL, '[]', NULL, 240);
                """)
        return try test(db)
    }
}

/// Expects the SQL of a condition, and the identifiers of the athletes for which the condition is true.
func expectAthletes(
    _ ids: [Int64], _ sql: String, sourceLocation: SourceLocation = #_sourceLocation,
    where condition: (Athlete.Columns.Type) throws -> any SQLCondition
) throws {
    try withAthletes { db in
        let request = try Athlete.filter(condition).select(\.id)
        let actual = try request.expandedSQL(db)
        #expect(actual == #"SELECT "id" FROM "athlete" WHERE \#(sql)"#, sourceLocation: sourceLocation)
        let actualIDs = try Int64.fetchAll(db, request)
        #expect(actualIDs == ids, sourceLocation: sourceLocation)
    }
}

/// Expects the SQL of an expression, and its values for the athletes.
func expectValues(
    _ values: [(any DatabaseValueConvertible)?], _ sql: String, sourceLocation: SourceLocation = #_sourceLocation,
    of expression: (Athlete.Columns.Type) throws -> any SQLSelectable
) throws {
    try withAthletes { db in
        let request = try Athlete.select(expression).order(\.id)
        let actual = try request.expandedSQL(db)
        #expect(actual == #"SELECT \#(sql) FROM "athlete" ORDER BY "id""#, sourceLocation: sourceLocation)
        let actualValues = try DatabaseValue.fetchAll(db, request)
        #expect(actualValues == values.map { $0?.databaseValue ?? .null }, sourceLocation: sourceLocation)
    }
}

/// Expects the SQL of an UPDATE statement, and the values of a column of all athletes after it.
func expectUpdate(
    _ values: [(any DatabaseValueConvertible)?], _ column: any NamedColumn, _ sql: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    assigning assignments: (Athlete.Columns.Type) throws -> [ColumnAssignment]
) throws {
    try withAthletes { db in
        let statements = try db.tracing { try Athlete.updateAll(db, assignments: assignments) }
        #expect(statements == [#"UPDATE "athlete" SET \#(sql)"#], sourceLocation: sourceLocation)
        let actual = try DatabaseValue.fetchAll(db, Athlete.order(\.id).select(Column(column.name)))
        #expect(actual == values.map { $0?.databaseValue ?? .null }, sourceLocation: sourceLocation)
    }
}
