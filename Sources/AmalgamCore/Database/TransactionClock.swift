public import Foundation

/// A clock that provides the dates of transactions: see ``Database/transactionDate``.
///
/// ```swift
/// struct FixedClock: TransactionClock {
///     func now(_ db: Database) -> Date { Date(timeIntervalSince1970: 0) }
/// }
/// var config = Configuration()
/// config.transactionClock = FixedClock()
/// ```
public protocol TransactionClock: Sendable {
    /// Returns the current date. Inside a transaction, this date becomes the date of the whole transaction.
    ///
    /// - Throws: An error, which ``Database/transactionDate`` throws.
    func now(_ db: Database) throws -> Date
}

/// The clock of the system. Use it as `.default`.
public struct DefaultTransactionClock: TransactionClock {
    public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that calls a closure. Use it as ``TransactionClock/custom(_:)``.
public struct CustomTransactionClock: TransactionClock {
    private let clock: @Sendable (Database) throws -> Date

    /// Creates a clock that calls a closure.
    public init(_ now: @escaping @Sendable (Database) throws -> Date) {
        clock = now
    }

    public func now(_ db: Database) throws -> Date { try clock(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The clock of the system.
    public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// Returns a clock that calls a closure.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.transactionClock = .custom { db in Date(timeIntervalSince1970: 0) }
    /// ```
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(now)
    }
}
