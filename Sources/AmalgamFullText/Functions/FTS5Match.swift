import AmalgamCore
import CAmalgam

/// A row that a search has found, and the search: what an ``FTS5Function`` is given.
///
/// It cannot be copied, and is only lent to the function: so it does not outlive the call.
///
/// ```swift
/// // Documents with the first phrase in their titles come first.
/// let inTitle = FTS5Function("inTitle") { match, arguments in
///     try match.columns(ofPhrase: 0).contains(0)
/// }
/// ```
///
/// Phrases are the quoted or single words of the pattern, from left to right, and columns those of the table: both are
/// counted from 0. Methods throw `SQLITE_RANGE` for a number that is too large. See
/// <https://www.sqlite.org/fts5.html#custom_auxiliary_functions_api_reference>.
public struct FTS5Match: ~Copyable {
    /// A place in the row that a phrase of the search matches.
    public struct Hit: Hashable, Sendable {
        /// The phrase.
        public let phrase: Int

        /// The column.
        public let column: Int

        /// The number of the first token of the hit in the text of the column, counted from 0.
        public let tokenOffset: Int
    }

    // Types of C are not named here: a program may import another `sqlite3.h` beside this module.
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
