import AmalgamCore

/// A virtual table that takes part in transactions: <https://sqlite.org/vtab.html#the_xbegin_method>.
///
/// A transaction begins when the table is first written to, and it does not nest.
public protocol TransactionalVirtualTable: VirtualTable {
    /// A transaction begins.
    func begin() throws

    /// The transaction is about to be committed. An error rolls it back.
    func sync() throws

    /// The transaction is committed.
    func commit()

    /// The transaction is rolled back.
    func rollback()
}

extension TransactionalVirtualTable {
    public func begin() throws {}

    public func sync() throws {}
}

/// A virtual table that takes part in savepoints: <https://sqlite.org/vtab.html#the_xsavepoint_method>.
///
/// Savepoints are numbered, and nest. SQLite makes some by itself, for statements that may fail half-way.
public protocol SavepointVirtualTable: TransactionalVirtualTable {
    /// Remembers the current state.
    func savepoint(_ number: Int) throws

    /// Forgets the states remembered by this number, and by all larger ones.
    func release(_ number: Int) throws

    /// Goes back to the state remembered by this number, which stays.
    func rollback(to number: Int) throws
}

/// A virtual table that has something to do when it is renamed: <https://sqlite.org/vtab.html#the_xrename_method>.
public protocol RenamableVirtualTable: VirtualTable {
    /// `ALTER TABLE … RENAME TO`. An error keeps the old name.
    func rename(to tableName: String) throws
}

/// A virtual table that keeps its content in ordinary tables: <https://sqlite.org/vtab.html#the_xshadowname_method>.
///
/// ```swift
/// static let shadowNames: Set<String> = ["content", "index"]
/// // In the table `book`: `book_content` and `book_index` are not to be changed by others.
/// ```
public protocol ShadowedVirtualTable: VirtualTable {
    /// What follows the name of the table, and `_`, in the names of the tables that keep the content.
    static var shadowNames: Set<String> { get }
}

/// A virtual table that `PRAGMA integrity_check` looks at: <https://sqlite.org/vtab.html#the_xintegrity_method>.
public protocol CheckableVirtualTable: VirtualTable {
    /// Looks for damage.
    ///
    /// - Parameter isQuick: whether the pragma is `quick_check`, which wants an answer soon.
    /// - Returns: what is wrong, or nil.
    func checkIntegrity(isQuick: Bool) throws -> String?
}
