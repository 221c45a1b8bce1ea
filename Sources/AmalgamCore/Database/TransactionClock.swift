public import Foundation

/// Where the date of transactions comes from.
public protocol TransactionClock: Sendable {
    /// The date of the transaction that begins, or the current date outside of transactions.
    func now(_ db: Database) throws -> Date
}

/// The clock of the system.
public struct DefaultTransactionClock: TransactionClock {
    public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock made of a closure.
public struct CustomTransactionClock: TransactionClock {
    private let clock: @Sendable (Database) throws -> Date

    /// A clock that asks a closure.
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
    /// A clock made of a closure.
    ///
    /// ```swift
    /// config.transactionClock = .custom { db in Date(timeIntervalSince1970: 0) }
    /// ```
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(now)
    }
}
