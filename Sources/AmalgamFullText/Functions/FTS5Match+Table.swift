import AmalgamCore
import CAmalgam

extension FTS5Match {
    /// Returns the number of rows in the table.
    ///
    /// - Throws: A ``DatabaseError`` if the table can't be read.
    public func rowCount() throws -> Int {
        var count: Int64 = 0
        try check(api.pointee.xRowCount(match, &count))
        return Int(count)
    }

    /// Returns the number of tokens in a column, summed over all rows of the table.
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such column.
    public func totalSize(ofColumn column: Int) throws -> Int {
        try checkColumn(column)
        return try totalSize(CInt(column))
    }

    /// Returns the number of tokens in all rows of the table.
    ///
    /// - Throws: A ``DatabaseError`` if the table can't be read.
    public func totalSize() throws -> Int { try totalSize(-1) }

    /// Returns the average number of tokens in a column of a row.
    ///
    /// ```swift
    /// let relativeLength = FTS5Function("relativeLength") { match, arguments in
    ///     try Double(match.size(ofColumn: 1)) / match.averageSize(ofColumn: 1)
    /// }
    /// ```
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such column.
    public func averageSize(ofColumn column: Int) throws -> Double {
        try Double(totalSize(ofColumn: column)) / Double(max(1, rowCount()))
    }

    /// Returns the average number of tokens in a row.
    ///
    /// - Throws: A ``DatabaseError`` if the table can't be read.
    public func averageSize() throws -> Double { try Double(totalSize()) / Double(max(1, rowCount())) }

    private func totalSize(_ column: CInt) throws -> Int {
        var size: Int64 = 0
        try check(api.pointee.xColumnTotalSize(match, column, &size))
        return Int(size)
    }

    /// Returns the number of rows of the table that a phrase matches, regardless of the rest of the pattern.
    ///
    /// ```swift
    /// let rarity = FTS5Function("rarity") { match, arguments in
    ///     1 / Double(try match.cached(Int.self) { match in try match.rowCount(ofPhrase: 0) })
    /// }
    /// ```
    ///
    /// The method visits all rows that the phrase matches. Use ``cached(_:_:)`` to call the method once per query.
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such phrase.
    public func rowCount(ofPhrase phrase: Int) throws -> Int {
        var count = 0
        try forEachRow(ofPhrase: phrase) { _ in count += 1 }
        return count
    }

    /// Calls a closure with each row of the table that a phrase matches, regardless of the rest of the pattern. The
    /// closure receives an ``FTS5Match`` of a query that consists of this phrase.
    ///
    /// - Throws: The error of the closure; `SQLITE_RANGE` if there is no such phrase.
    public func forEachRow(ofPhrase phrase: Int, _ body: (borrowing FTS5Match) throws -> Void) throws {
        try checkPhrase(phrase)
        try withoutActuallyEscaping(body) { body in
            let visitor = RowVisitor(body)
            let code = withExtendedLifetime(visitor) {
                api.pointee.xQueryPhrase(
                    match, CInt(phrase), Unmanaged.passUnretained(visitor).toOpaque(), RowVisitor.visit)
            }
            if let failure = visitor.failure { throw failure }
            try check(code)
        }
    }
}

/// The context of the callback of `xQueryPhrase`.
private final class RowVisitor {
    private let body: (borrowing FTS5Match) throws -> Void
    private(set) var failure: (any Error)?

    init(_ body: @escaping (borrowing FTS5Match) throws -> Void) {
        self.body = body
    }

    static let visit:
        @convention(c) (UnsafePointer<Fts5ExtensionApi>?, OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = {
            api, match, visitor in
            guard let api, let match, let visitor else { return SQLITE_MISUSE }
            let object = Unmanaged<RowVisitor>.fromOpaque(visitor).takeUnretainedValue()
            do {
                try object.body(FTS5Match(api, match))
                return SQLITE_OK
            } catch {
                object.failure = error
                return SQLITE_ABORT
            }
        }
}
