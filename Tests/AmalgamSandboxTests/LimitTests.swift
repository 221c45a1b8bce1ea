import Amalgam
import TestSupport
import Testing

/// The limits of a connection.
struct LimitTests {
    static let limits: [Database.Limit] = [
        .length, .sqlLength, .columnCount, .expressionDepth, .parserDepth, .compoundSelectCount, .instructionCount,
        .functionArgumentCount, .attachedCount, .likePatternLength, .parameterCount, .triggerDepth,
        .workerThreadCount,
    ]

    @Test(arguments: limits)
    func setting(limit: Database.Limit) throws {
        try DatabaseQueue().inDatabase { db in
            let initial = try db.limit(limit)
            let smaller = limit == .length ? 1000 : initial / 2
            #expect(try db.setLimit(limit, to: smaller) == initial)
            #expect(try db.limit(limit) == smaller)
            // A limit above the maximum of the build is set to the maximum.
            try db.setLimit(limit, to: .max)
            #expect(try db.limit(limit) >= initial)
        }
    }

    @Test func aLimitHolds() throws {
        try DatabaseQueue().inDatabase { db in
            try db.setLimit(.sqlLength, to: 20)
            #expect(try db.integer("SELECT 1") == 1)
            _ = expectFailure(.SQLITE_TOOBIG) { _ = try db.integer("SELECT 1 + 1 + 1 + 1 + 1") }
            try db.setLimit(.parameterCount, to: 2)
            #expect(db.maximumStatementArgumentCount == 2)
        }
    }

    @Test("a statement with too many instructions throws SQLITE_TOOBIG")
    func instructions() throws {
        let sql = "SELECT 1 IN (\((1...12_500).map(String.init).joined(separator: ",")))"
        try DatabaseQueue().inDatabase { db in
            try db.setLimit(.instructionCount, to: 25_000)
            let message = "too many instructions: the limit is 25000"
            expectError(.SQLITE_TOOBIG, message, sql: sql) { _ = try db.integer(sql) }
            #expect(try db.integer("SELECT 1 IN (1, 2)") == 1)
            let error = expectCode(.SQLITE_TOOBIG) {
                try db.sandboxed(.readOnly) { _ = try Row.fetchAll(db, sql: sql) }
            }
            #expect(error?.exceededLimit == nil)
            try db.setLimit(.instructionCount, to: .max)
            #expect(try db.integer(sql) == 1)
        }
    }

    @Test func limitsAreThoseOfOneConnection() throws {
        try DatabaseQueue().inDatabase { db in
            let initial = try db.limit(.columnCount)
            try db.setLimit(.columnCount, to: 3)
            let other = try DatabaseQueue().inDatabase { try $0.limit(.columnCount) }
            #expect(other == initial)
        }
    }

    @Test func misuse() throws {
        let queue = try DatabaseQueue()
        expectError(.SQLITE_MISUSE, "SQLite has no limit with the number 99.") {
            _ = try queue.inDatabase { try $0.limit(Database.Limit(rawValue: 99)) }
        }
        expectError(.SQLITE_MISUSE, "A limit must not be negative: it is -5.") {
            _ = try queue.inDatabase { try $0.setLimit(.length, to: -5) }
        }
        let leaked = queue.inDatabase { $0 }
        _ = expectFailure(.SQLITE_MISUSE) { _ = try leaked.limit(.length) }
        _ = expectFailure(.SQLITE_MISUSE) { try leaked.setLimit(.length, to: 1) }
    }
}
