import Amalgam
import CAmalgam
import Foundation
import Testing

/// Public protocols of connections and values, adopted by types of an application.
@Suite("Protocols of connections and values that applications adopt")
struct AdoptedProtocolsTests {
    @Test("Cursor")
    func cursor() throws {
        final class Countdown: Cursor {
            var count = 3
            func next() -> Int? {
                defer { count -= 1 }
                return count > 0 ? count : nil
            }
        }
        #expect(try Array(Countdown().map { $0 * 10 }) == [30, 20, 10])
    }

    @Test("DatabaseValueConvertible")
    func values() throws {
        struct Celsius: DatabaseValueConvertible, Equatable {
            var degrees: Double
            var databaseValue: DatabaseValue { degrees.databaseValue }
            static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Celsius? {
                Double.fromDatabaseValue(dbValue).map(Celsius.init)
            }
        }
        try DatabaseQueue().read { db throws in
            #expect(try Celsius.fetchOne(db, sql: "SELECT ? + 0.5", arguments: [Celsius(degrees: 20)])?.degrees == 20.5)
            #expect(try Row.fetchOne(db, sql: "SELECT 1.5")?[0] == Celsius(degrees: 1.5))
        }
    }

    @Test("StatementColumnConvertible and StatementBinding")
    func statementValues() throws {
        struct Flag: DatabaseValueConvertible, StatementColumnConvertible {
            var isSet: Bool
            init(isSet: Bool) { self.isSet = isSet }
            init?(sqliteStatement: SQLiteStatement, index: CInt) {
                isSet = sqlite3_column_int64(sqliteStatement, index) == 1
            }
            func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
                sqlite3_bind_int64(sqliteStatement, index, isSet ? 1 : 0)
            }
            var databaseValue: DatabaseValue { (isSet ? 1 : 0).databaseValue }
            static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Flag? { Flag(isSet: dbValue == 1.databaseValue) }
        }
        try DatabaseQueue().read { db throws in
            let flags = try Flag.fetchAll(db, sql: "SELECT ? UNION ALL SELECT 0", arguments: [Flag(isSet: true)])
            #expect(flags.map(\.isSet) == [true, false])
        }
    }

    @Test("DatabaseAggregate and DatabaseWindowAggregate")
    func aggregates() throws {
        struct Sum: DatabaseWindowAggregate {
            var sum = 0
            mutating func step(_ dbValues: [DatabaseValue]) { sum += Int.fromDatabaseValue(dbValues[0]) ?? 0 }
            mutating func inverse(_ dbValues: [DatabaseValue]) { sum -= Int.fromDatabaseValue(dbValues[0]) ?? 0 }
            func value() -> (any DatabaseValueConvertible)? { sum }
        }
        try DatabaseQueue().read { db throws in
            db.add(function: DatabaseFunction("mySum", argumentCount: 1, pure: true, aggregate: Sum.self))
            let values = "WITH t(a) AS (VALUES (1), (2), (3))"
            #expect(try Int.fetchOne(db, sql: "\(values) SELECT mySum(a) FROM t") == 6)
            let sql = "\(values) SELECT mySum(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM t"
            #expect(try Int.fetchAll(db, sql: sql) == [1, 3, 5])
        }
    }

    @Test("RowAdapter, by the layouts of other adapters")
    func adapters() throws {
        struct SecondColumnOnly: RowAdapter {
            func _layout(_ base: RowLayout) throws -> RowLayout { try RangeRowAdapter(1..<2)._layout(base) }
        }
        try DatabaseQueue().read { db throws in
            let sql = "SELECT 1 AS a, 2 AS b, 3 AS c"
            let row = try Row.fetchOne(db, sql: sql, adapter: SecondColumnOnly())
            #expect(row == ["b": 2])
            #expect(try Int.fetchAll(db, sql: sql, adapter: SecondColumnOnly()) == [2])
        }
    }

    @Test("TransactionObserver, DatabaseRegionConvertible and TransactionClock")
    func observers() throws {
        final class Commits: TransactionObserver {
            var count = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) { count += 1 }
            func databaseDidRollback(_ db: Database) {}
        }
        struct Everything: DatabaseRegionConvertible {
            func databaseRegion(_ db: Database) throws -> DatabaseRegion { .fullDatabase }
        }
        struct Midnight: TransactionClock {
            func now(_ db: Database) -> Date { Date(timeIntervalSinceReferenceDate: 0) }
        }
        var configuration = Configuration()
        configuration.transactionClock = Midnight()
        let queue = try DatabaseQueue(configuration: configuration)
        let commits = Commits()
        queue.add(transactionObserver: commits)
        try queue.write { db throws in
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try db.transactionDate == Date(timeIntervalSinceReferenceDate: 0))
            #expect(try Everything().databaseRegion(db).isFullDatabase)
        }
        #expect(commits.count == 1)
    }

    @Test("DatabaseSchemaSource")
    func schemaSource() throws {
        struct Keys: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? { ["id"] }
        }
        var configuration = Configuration()
        configuration.schemaSource = Keys()
        try DatabaseQueue(configuration: configuration).write { db throws in
            try db.execute(sql: "CREATE VIEW v AS SELECT 1 AS id")
            #expect(try db.primaryKey("v").columns == ["id"])
        }
    }

    @Test("VirtualTable and VirtualTableCursor")
    func virtualTables() throws {
        final class Squares: VirtualTable {
            let schema = "CREATE TABLE x(square INTEGER)"
            func open() -> Cursor { Cursor() }

            struct Cursor: VirtualTableCursor {
                private var number = 0
                mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) { number = 0 }
                mutating func next() -> Bool {
                    number += 1
                    return number <= 3
                }
                func column(_ index: Int, _ result: borrowing SQLiteResult) { result.set(number * number) }
            }
        }
        try DatabaseQueue().read { db throws in
            try db.add(module: DatabaseModule("squares") { _ in Squares() })
            #expect(try Int.fetchAll(db, sql: "SELECT square FROM squares") == [1, 4, 9])
        }
    }
}

/// A writer of an application, which counts the writes of the queue or pool that it wraps.
private final class CountingWriter: DatabaseWriter {
    let base: any DatabaseWriter
    let count = Counter()

    init(_ base: any DatabaseWriter) { self.base = base }

    var _wrappedReader: any DatabaseReader { base }
    var configuration: Configuration { base.configuration }
    var path: String { base.path }
    var taskExecutor: any TaskExecutor { base.taskExecutor }
    func close() throws { try base.close() }
    func interrupt() { base.interrupt() }
    func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T { try await base.read(value) }
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { base.asyncRead(value) }
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeRead(value) }
    func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await base.unsafeRead(value)
    }
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncUnsafeRead(value)
    }
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeReentrantRead(value) }
    func write<T>(_ updates: (Database) throws -> T) throws -> T {
        count.increment()
        return try base.write(updates)
    }
    func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        count.increment()
        return try await base.write(updates)
    }
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try base.writeWithoutTransaction(updates)
    }
    func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await base.writeWithoutTransaction(updates)
    }
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try base.barrierWriteWithoutTransaction(updates)
    }
    func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await base.barrierWriteWithoutTransaction(updates)
    }
    func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncBarrierWriteWithoutTransaction(updates)
    }
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        base.asyncWriteWithoutTransaction(updates)
    }
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try base.unsafeReentrantWrite(updates)
    }
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.spawnConcurrentRead(value)
    }
    func externalChanges() async throws -> ExternalChanges { try await base.externalChanges() }
}

private final class Counter: @unchecked Sendable {
    // Sendable: guarded by the lock.
    private let lock = NSLock()
    private var storedCount = 0
    func increment() { lock.withLock { storedCount += 1 } }
    var count: Int { lock.withLock { storedCount } }
}

@Suite("Readers and writers of applications")
struct AdoptedWriterTests {
    @Test("A wrapper of a queue is observed like the queue")
    func observation() async throws {
        let writer = CountingWriter(try DatabaseQueue())
        try await writer.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let observation = ValueObservation.tracking { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        var values: [[Int]] = []
        for try await value in observation.values(in: AnyDatabaseWriter(writer)) {
            values.append(value)
            if values.count == 2 { break }
            try await writer.write { try $0.execute(sql: "UPDATE t SET a = 2") }
        }
        #expect(values == [[1], [2]])
        #expect(writer.count.count == 2)
    }

    @Test("DatabaseMigrator, backups and maintenance take it")
    func migrations() throws {
        let writer = CountingWriter(try DatabaseQueue())
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE t (a)") }
        try migrator.migrate(writer)
        let copy = try DatabaseQueue()
        try writer.backup(to: copy)
        #expect(try copy.read { try $0.tableExists("t") })
        try writer.vacuum()
    }
}
