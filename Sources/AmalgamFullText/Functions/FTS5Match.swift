import AmalgamCore
import CAmalgam

/// A row that matches a full-text query, with information about the query and the table. An ``FTS5Function`` borrows
/// the match, which is noncopyable, and valid only during the call.
///
/// ```swift
/// // Documents with the first phrase in their titles come first.
/// let inTitle = FTS5Function("inTitle") { match, arguments in
///     try match.columns(ofPhrase: 0).contains(0)
/// }
/// ```
///
/// Phrases are numbered from 0, in the order of the pattern, and columns in the order of the table. Methods throw
/// `SQLITE_RANGE` if there is no such phrase or column. See
/// <https://www.sqlite.org/fts5.html#custom_auxiliary_functions_api_reference>.
public struct FTS5Match: ~Copyable {
    /// A phrase match in the row.
    public struct Hit: Hashable, Sendable {
        /// The index of the phrase.
        public let phrase: Int

        /// The index of the column.
        public let column: Int

        /// The index of the first matching token in the column, counted from 0.
        public let tokenOffset: Int
    }

    // Stored without its C type: an application may import a different `sqlite3.h` in addition to this module.
    private let functions: UnsafeRawPointer
    let match: OpaquePointer

    init(_ functions: UnsafePointer<Fts5ExtensionApi>, _ match: OpaquePointer) {
        self.functions = UnsafeRawPointer(functions)
        self.match = match
    }

    var api: UnsafePointer<Fts5ExtensionApi> {
        functions.assumingMemoryBound(to: Fts5ExtensionApi.self)
    }
}

// MARK: - Errors

extension FTS5Match {
    func check(_ code: CInt) throws {
        if code != SQLITE_OK { throw DatabaseError(code: code) }
    }

    func checkColumn(_ column: Int) throws {
        if !(0..<columnCount).contains(column) {
            throw DatabaseError(
                resultCode: .SQLITE_RANGE,
                message: "there is no column \(column): the full-text table has \(columnCount) columns")
        }
    }

    func checkPhrase(_ phrase: Int) throws {
        if !(0..<phraseCount).contains(phrase) {
            throw DatabaseError(
                resultCode: .SQLITE_RANGE,
                message: "there is no phrase \(phrase): the pattern has \(phraseCount) phrases")
        }
    }
}
