import AmalgamCore
import CAmalgam
import Foundation

/// A reader of changesets and patchsets. It uses an iterator of SQLite, and needs no connection.
final class ChangeReader {
    private var iterator: OpaquePointer?
    private let bytes: ChangesetBytes?
    private let input: ChangesetInput.Context?
    private var tables = RecordedTableCache()

    init(_ bytes: ChangesetBytes, isInverted: Bool = false) throws {
        self.bytes = bytes
        input = nil
        let flags = isInverted ? SQLITE_CHANGESETSTART_INVERT : 0
        let code = bytes.withSQLiteBytes { sqlite3changeset_start_v2(&iterator, $0, $1, flags) }
        if code != SQLITE_OK { throw DatabaseError(code: code) }
    }

    init(_ input: ChangesetInput, isInverted: Bool = false) throws {
        bytes = nil
        let context = try input.makeContext()
        self.input = context
        let flags = isInverted ? SQLITE_CHANGESETSTART_INVERT : 0
        let code = sqlite3changeset_start_v2_strm(&iterator, ChangesetInput.function, context.pointer, flags)
        if code != SQLITE_OK { throw context.failure(code) }
    }

    deinit {
        sqlite3changeset_finalize(iterator)
    }

    /// SQLite's iterator, which has a current change after `step` has returned true.
    var sqliteIterator: OpaquePointer? { iterator }

    /// Whether the current change comes from a patchset.
    var isPatchset: Bool { iterator.map { amalgam_changeset_is_patchset($0) != 0 } ?? false }

    /// Moves to the next change, and returns false at the end.
    func step() throws -> Bool {
        switch sqlite3changeset_next(iterator) {
        case SQLITE_ROW:
            guard let iterator, amalgam_changeset_is_readable(iterator) != 0 else { throw Self.failure(SQLITE_CORRUPT) }
            return true
        case SQLITE_DONE: return false
        case let code: throw input?.failure(code) ?? Self.failure(code)
        }
    }

    static func failure(_ code: CInt) -> any Error {
        let isCorrupt = ResultCode(rawValue: code).primaryResultCode == .SQLITE_CORRUPT
        return DatabaseError(code: code, message: isCorrupt ? "malformed changeset" : nil)
    }

    /// Returns the current change.
    func change() throws -> RecordedChange {
        guard let iterator, let change = try RecordedChange(iterator, &tables) else {
            throw Self.failure(SQLITE_CORRUPT)
        }
        return change
    }

    /// Returns the table of the current change.
    func table() throws -> RecordedTable {
        guard let iterator, let table = tables.table(iterator) else { throw Self.failure(SQLITE_CORRUPT) }
        return table
    }

    /// Calls a closure with the bytes of the current change, without the header of its table.
    func withChangeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        var count: CInt = 0
        let bytes = amalgam_changeset_change(iterator, &count)
        body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    /// The header of the current table, in the changeset format: `T`, the number of columns as a varint, one byte per
    /// column with its position in the primary key (0 if it isn't part of the key), and the NUL-terminated table name.
    var header: Data {
        var name: UnsafePointer<CChar>?
        var count: CInt = 0
        var operation: CInt = 0
        var isPrimaryKey: UnsafeMutablePointer<UInt8>?
        sqlite3changeset_op(iterator, &name, &count, &operation, nil)
        sqlite3changeset_pk(iterator, &isPrimaryKey, nil)
        guard let name, let isPrimaryKey else { return Data() }
        var header = Data([UInt8(ascii: "T")])
        // At most 65536 columns: three groups of seven bits, the highest first.
        for shift in [14, 7] where count >> shift > 0 {
            header.append(UInt8(truncatingIfNeeded: count >> shift) | 0x80)
        }
        header.append(UInt8(truncatingIfNeeded: count) & 0x7f)
        header.append(isPrimaryKey, count: Int(count))
        header.append(contentsOf: UnsafeRawBufferPointer(start: name, count: strlen(name) + 1))
        return header
    }

    func next() throws -> RecordedChange? { try step() ? change() : nil }

    /// Reads and checks all remaining changes.
    ///
    /// - Throws: `SQLITE_CORRUPT` if a change is malformed; `SQLITE_MISMATCH` for a patchset instead of a changeset, or
    ///   the reverse.
    func check(isPatchset expected: Bool) throws {
        while try step() {
            _ = try change()
            try checkKind(isPatchset: expected)
        }
    }

    func checkKind(isPatchset expected: Bool) throws {
        if isPatchset == expected { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: expected ? "this is a changeset, and not a patchset" : "this is a patchset, and not a changeset")
    }
}

/// Caches the table of the last change, because successive changes usually belong to the same table.
struct RecordedTableCache {
    private var recent: RecordedTable?

    /// Returns the table of an iterator's current change; nil if there is no current change.
    mutating func table(_ iterator: OpaquePointer) -> RecordedTable? {
        var name: UnsafePointer<CChar>?
        var count: CInt = 0
        var operation: CInt = 0
        var isPrimaryKey: UnsafeMutablePointer<UInt8>?
        guard sqlite3changeset_op(iterator, &name, &count, &operation, nil) == SQLITE_OK,
            sqlite3changeset_pk(iterator, &isPrimaryKey, nil) == SQLITE_OK, let name, let isPrimaryKey
        else { return nil }
        return table(name, UnsafeBufferPointer(start: isPrimaryKey, count: Int(count)))
    }

    private mutating func table(_ name: UnsafePointer<CChar>, _ isPrimaryKey: UnsafeBufferPointer<UInt8>)
        -> RecordedTable
    {
        if let recent, recent.isPrimaryKey.count == isPrimaryKey.count,
            recent.isPrimaryKey.indices.allSatisfy({ recent.isPrimaryKey[$0] == (isPrimaryKey[$0] != 0) }),
            recent.name.withCString({ strcmp($0, name) == 0 })
        {
            return recent
        }
        let table = RecordedTable(name: String(cString: name), isPrimaryKey: isPrimaryKey.map { $0 != 0 })
        recent = table
        return table
    }
}

extension RecordedChange {
    /// Copies the current change of an iterator. The result is nil if there is no current change.
    ///
    /// - Throws: `SQLITE_NOMEM` if a value can't be read.
    init?(_ iterator: OpaquePointer, _ tables: inout RecordedTableCache) throws {
        var name: UnsafePointer<CChar>?
        var count: CInt = 0
        var code: CInt = 0
        var isIndirect: CInt = 0
        guard let table = tables.table(iterator),
            sqlite3changeset_op(iterator, &name, &count, &code, &isIndirect) == SQLITE_OK,
            let operation = Operation(code)
        else { return nil }
        self.table = table
        self.operation = operation
        self.isIndirect = isIndirect != 0
        old = operation == .insert ? [] : try Self.values(count) { sqlite3changeset_old(iterator, $0, $1) }
        var new = operation == .delete ? [] : try Self.values(count) { sqlite3changeset_new(iterator, $0, $1) }
        // In changesets written by SQLite's rebaser, the new values of an update also contain the primary key.
        if operation == .update {
            for index in new.indices where table.isPrimaryKey[index] { new[index] = nil }
        }
        self.new = new
    }

    static func values(
        _ count: CInt, _ value: (CInt, UnsafeMutablePointer<OpaquePointer?>) -> CInt
    ) throws -> [DatabaseValue?] {
        try (0..<count).map { index in
            var pointer: OpaquePointer?
            guard value(index, &pointer) == SQLITE_OK, let pointer else { return nil }
            return try DatabaseValue(terminating: pointer)
        }
    }
}
