/// A cursor over the rows of a statement.
///
/// The cursors of this package start their statement when they are created, and reset it when they are released. A
/// cursor throws `SQLITE_MISUSE` if other code has run its statement again, or if it is used outside of the database
/// access (such as a call of `read` or `write`) that created it. At the end of the access, its statement is reset, so that
/// later accesses see the last commit: the cursor doesn't continue in a later access.
///
/// A statement that writes and returns rows (`RETURNING`) ends after its last row, when its cursor is released, or at the
/// end of the access. In autocommit mode, this commits the changes. If the commit fails while the cursor is released, the
/// error is reported to ``Database/logError``. At the end of an access, methods that throw not only the errors of
/// their closure, such as `barrierWriteWithoutTransaction`, throw the error. Other methods report it to `logError`.
///
/// A type of another module conforms to this protocol to decode its elements itself:
///
/// ```swift
/// import CAmalgam
///
/// final class PairCursor: DatabaseCursor {
///     var _isDone = false
///     let _statement: Statement
///
///     init(_ db: Database, sql: String) throws { _statement = try db.makeStatement(sql: sql) }
///
///     deinit { sqlite3_reset(_statement.sqliteStatement) }
///
///     func _element(sqliteStatement: SQLiteStatement) throws -> (Int64, Int64) {
///         (sqlite3_column_int64(sqliteStatement, 0), sqlite3_column_int64(sqliteStatement, 1))
///     }
/// }
/// ```
///
/// A cursor of another module starts its statement when its first element is requested. The statement runs with its
/// arguments, or with values that were bound by `sqlite3_bind_*` to ``Statement/sqliteStatement``. The number of bound
/// values isn't checked: a parameter without a value is NULL.
public protocol DatabaseCursor<Element>: Cursor {
    /// The type of the elements, which `_element(sqliteStatement:)` returns.
    associatedtype Element

    /// Whether the cursor has reached its end. It returns no further elements then.
    var _isDone: Bool { get set }

    /// The statement whose rows the cursor reads.
    var _statement: Statement { get }

    /// Decodes the element of the current row.
    ///
    /// - Parameter sqliteStatement: ``Statement/sqliteStatement`` of the statement.
    /// - Throws: An error that ends the cursor.
    func _element(sqliteStatement: SQLiteStatement) throws -> Element
}

extension DatabaseCursor {
    /// The SQL of the statement.
    public var sql: String { _statement.sql }

    /// The arguments of the statement, without values bound by `sqlite3_bind_*`.
    public var arguments: StatementArguments { _statement.arguments }

    /// The names of the columns of the statement, from left to right.
    public var columnNames: [String] { _statement.columnNames }

    /// The number of columns of the statement.
    public var columnCount: Int { _statement.columnCount }

    /// The region that the statement reads.
    public var databaseRegion: DatabaseRegion { _statement.databaseRegion }

    @inlinable
    public func next() throws -> Element? {
        let statement = _statement
        guard try statement.step(for: self, isDone: _isDone) else {
            _isDone = true
            return nil
        }
        do {
            return try _element(sqliteStatement: statement.sqliteStatement)
        } catch {
            throw statement.failToDecode(error, for: self)
        }
    }
}

/// A cursor that owns a ``StatementRun``, the execution of its statement. The cursors of this package conform to this
/// protocol; types of other modules conform to ``DatabaseCursor``.
public protocol _StatementRunCursor<Element>: DatabaseCursor {
    /// The run of the statement.
    var _run: StatementRun { get }

    /// Decodes the element of the current row.
    func _element() throws -> Element
}

extension _StatementRunCursor {
    /// Whether the run has reached its end. Setting it to true ends the run.
    public var _isDone: Bool {
        get { _run.hasEnded }
        set { if newValue { _run.end() } }
    }

    @inlinable
    public var _statement: Statement { _run.statement }

    @inlinable
    public func _element(sqliteStatement: SQLiteStatement) throws -> Element { try _element() }

    @inlinable
    public func next() throws -> Element? {
        guard try _run.step() else { return nil }
        return try element()
    }

    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while try _run.step() { try body(element()) }
    }

    /// Returns the remaining elements. It is faster than `Array(cursor)`, which copies each element.
    @inlinable
    package func remainder() throws -> [Element] {
        var elements: [Element] = []
        while try _run.step() { elements.append(try element()) }
        return elements
    }

    /// Decodes the element of the current row. An error ends the cursor.
    @inlinable
    package func element() throws -> Element {
        do {
            return try _element()
        } catch {
            throw _run.failToDecode(error)
        }
    }
}
