import AmalgamCore

/// A virtual table that takes part in transactions: <https://sqlite.org/vtab.html#the_xbegin_method>.
///
/// ```swift
/// extension PlayerTable: TransactionalVirtualTable {
///     func commit() { savedPlayers = players }
///     func rollback() { players = savedPlayers }
/// }
/// ```
///
/// SQLite calls ``begin()`` before the first write to the table in a transaction, except in the transaction that
/// creates the table. Transactions aren't nested.
public protocol TransactionalVirtualTable: VirtualTable {
    /// Called before the first write to the table in a transaction.
    func begin() throws

    /// Called before the transaction is committed. An error rolls the transaction back.
    func sync() throws

    /// Called when the transaction is committed.
    func commit()

    /// Called when the transaction is rolled back.
    func rollback()
}

extension TransactionalVirtualTable {
    public func begin() throws {}

    public func sync() throws {}
}

/// A virtual table that takes part in savepoints: <https://sqlite.org/vtab.html#the_xsavepoint_method>.
///
/// ```swift
/// extension PlayerTable: SavepointVirtualTable {
///     func savepoint(_ number: Int) { states[number] = players }
///     func release(_ number: Int) { states = states.filter { $0.key < number } }
///     func rollback(to number: Int) { players = states[number]! }
/// }
/// ```
///
/// Savepoints are numbered, and can be nested. SQLite also opens a savepoint for a statement that may fail halfway.
public protocol SavepointVirtualTable: TransactionalVirtualTable {
    /// Called at the beginning of a savepoint. Saves the current state under the number of this savepoint.
    func savepoint(_ number: Int) throws

    /// Called when a savepoint ends. Discards the states with this number and all larger numbers.
    func release(_ number: Int) throws

    /// Called when SQLite rolls back to a savepoint. Restores the state with this number, which remains saved.
    func rollback(to number: Int) throws
}

/// A virtual table that is notified when it is renamed: <https://sqlite.org/vtab.html#the_xrename_method>.
///
/// ```swift
/// extension PlayerTable: RenamableVirtualTable {
///     func rename(to tableName: String) { self.tableName = tableName }
/// }
/// ```
public protocol RenamableVirtualTable: VirtualTable {
    /// Called by `ALTER TABLE … RENAME TO`. An error prevents the renaming.
    func rename(to tableName: String) throws
}

/// A virtual table that stores its content in shadow tables: <https://sqlite.org/vtab.html#the_xshadowname_method>.
///
/// ```swift
/// extension BookTable: ShadowedVirtualTable {
///     // For the table `book`, SQLite protects `book_content` and `book_index` as shadow tables.
///     static let shadowNames: Set<String> = ["content", "index"]
/// }
/// ```
public protocol ShadowedVirtualTable: VirtualTable {
    /// The suffixes of shadow tables. The name of a shadow table is the name of the virtual table, `_`, and a suffix.
    static var shadowNames: Set<String> { get }
}

/// A virtual table that `PRAGMA integrity_check` checks: <https://sqlite.org/vtab.html#the_xintegrity_method>.
///
/// ```swift
/// extension PlayerTable: CheckableVirtualTable {
///     func checkIntegrity(isQuick: Bool) -> String? {
///         players.values.contains { $0.name.isEmpty } ? "a player has no name" : nil
///     }
/// }
/// ```
public protocol CheckableVirtualTable: VirtualTable {
    /// Checks the content of the table.
    ///
    /// - Parameter isQuick: whether `PRAGMA quick_check` runs. The check should then be fast.
    /// - Returns: a description of the damage, or nil if the content is correct.
    func checkIntegrity(isQuick: Bool) throws -> String?
}
