import AmalgamCore
import CAmalgam

extension FTS5Match {
    /// The number of rows of the table.
    public func rowCount() throws -> Int {
        var count: Int64 = 0
        try check(api.pointee.xRowCount(match, &count))
        return Int(count)
    }

    /// The number of tokens in a column of all rows.
    public func totalSize(ofColumn column: Int) throws -> Int {
        try checkColumn(column)
        return try totalSize(CInt(column))
    }

    /// The number of tokens in all rows.
    public func totalSize() throws -> Int { try totalSize(-1) }

    /// The average number of tokens in a column of a row.
    public func averageSize(ofColumn column: Int) throws -> Double {
        try Double(totalSize(ofColumn: column)) / Double(max(1, rowCount()))
    }

    /// The average number of tokens in a row.
    public func averageSize() throws -> Double { try Double(totalSize()) / Double(max(1, rowCount())) }

    private func totalSize(_ column: CInt) throws -> Int {
        var size: Int64 = 0
        try check(api.pointee.xColumnTotalSize(match, column, &size))
        return Int(size)
    }

    /// The number of rows that a phrase matches, whatever the rest of the pattern.
    ///
    /// All of these rows are visited: ask once for a search, with ``cached(_:_:)``.
    public func rowCount(ofPhrase phrase: Int) throws -> Int {
        var count = 0
        try forEachRow(ofPhrase: phrase) { _ in count += 1 }
        return count
    }

    /// Visits the rows that a phrase matches, whatever the rest of the pattern. The only phrase of these matches is this
    /// phrase.
    ///
    /// - throws: the error of the closure.
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

/// What visits the rows of a phrase.
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
