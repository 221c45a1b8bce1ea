import CAmalgam
import Foundation

/// The column values of a row before and after its change.
class EventRow {
    /// Changes when the object holds a different row, so that outdated events are recognized.
    fileprivate(set) final var number: UInt64 = 0

    var count: Int { 0 }
    var depth: CInt { 0 }
    func columnName(_ index: Int) -> String { "" }
    func initialValue(_ index: Int) -> DatabaseValue? { nil }
    func finalValue(_ index: Int) -> DatabaseValue? { nil }

    /// Whether a column receives a different value. Swift compares strings after their decoding, and 0.0 equals -0.0, but
    /// a query can distinguish the bytes.
    func changesValue(_ index: Int) -> Bool {
        switch (initialValue(index)?.storage, finalValue(index)?.storage) {
        case (.double(let initial)?, .double(let final)?): initial.bitPattern != final.bitPattern
        // Bytes that aren't UTF-8 were decoded as this character.
        case (.string(let initial)?, .string(let final)?) where initial.unicodeScalars.contains("\u{FFFD}"):
            initial != final || final.unicodeScalars.contains("\u{FFFD}")
        case (let initial, let final): initial != final
        }
    }

    /// The written blob, if the change is a write through a blob handle.
    var writtenBlob: WrittenBlob? { nil }
}

/// A blob that is written: its handle, its row and its column.
struct WrittenBlob {
    let blob: BlobWrite.Identity
    let column: Int
}

/// The row that SQLite's pre-update hook reports, on one connection.
final class LiveRow: EventRow {
    /// The connection while the pre-update hook runs; otherwise nil.
    private var connection: SQLiteConnection?

    /// The current write through a blob handle. SQLite doesn't report the written bytes.
    var blobWrite: BlobWrite?

    /// Makes this object represent the row that the hook is reporting.
    func begin(_ connection: SQLiteConnection) {
        number &+= 1
        self.connection = connection
    }

    func end() {
        number &+= 1
        connection = nil
    }

    override var count: Int { connection.map { Int(sqlite3_preupdate_count($0)) } ?? 0 }

    override var depth: CInt { connection.map { sqlite3_preupdate_depth($0) } ?? 0 }

    override func columnName(_ index: Int) -> String {
        connection.flatMap { amalgam_preupdate_column_name($0, CInt(index)) }.map { String(cString: $0) } ?? ""
    }

    override func initialValue(_ index: Int) -> DatabaseValue? {
        guard let connection, let column = CInt(exactly: index) else { return nil }
        return amalgam_preupdate_value(connection, column, 0).map(DatabaseValue.init)
    }

    override func finalValue(_ index: Int) -> DatabaseValue? {
        guard let connection, let column = CInt(exactly: index) else { return nil }
        if let value = amalgam_preupdate_value(connection, column, 1) { return DatabaseValue(value) }
        return valueAfterBlobWrite(index, connection)
    }

    override func changesValue(_ index: Int) -> Bool {
        guard let connection, let column = CInt(exactly: index),
            let initial = amalgam_preupdate_value(connection, column, 0),
            let final = amalgam_preupdate_value(connection, column, 1)
        else { return super.changesValue(index) }
        return Self.differ(OpaquePointer(initial), OpaquePointer(final))
    }

    /// Returns whether two values differ in storage class or bytes. TEXT must be UTF-8.
    private static func differ(_ initial: OpaquePointer, _ final: OpaquePointer) -> Bool {
        let type = sqlite3_value_type(initial)
        guard type == sqlite3_value_type(final) else { return true }
        switch type {
        case SQLITE_INTEGER: return sqlite3_value_int64(initial) != sqlite3_value_int64(final)
        case SQLITE_FLOAT: return sqlite3_value_double(initial).bitPattern != sqlite3_value_double(final).bitPattern
        case SQLITE_TEXT, SQLITE_BLOB:
            let count = sqlite3_value_bytes(initial)
            guard count == sqlite3_value_bytes(final) else { return true }
            // Without bytes, both are empty, or there is no memory to read them.
            guard let first = sqlite3_value_blob(initial), let second = sqlite3_value_blob(final) else {
                return count != 0
            }
            return memcmp(first, second, Int(count)) != 0
        default: return false
        }
    }

    /// The new value during a write through a blob handle, which SQLite reports as a deletion without new values.
    private func valueAfterBlobWrite(_ index: Int, _ connection: SQLiteConnection) -> DatabaseValue? {
        let writtenColumn = sqlite3_preupdate_blobwrite(connection)
        guard writtenColumn >= 0, let initial = initialValue(index) else { return nil }
        if index != writtenColumn { return initial }
        guard let blobWrite else { return nil }
        var final = initial
        blobWrite.apply(to: &final)
        return final
    }

    override var writtenBlob: WrittenBlob? {
        guard let connection, let blobWrite else { return nil }
        return WrittenBlob(blob: blobWrite.identity, column: Int(sqlite3_preupdate_blobwrite(connection)))
    }
}

/// The column values of a copied event.
final class CopiedRow: EventRow {
    private let storedCount: Int
    private let storedDepth: CInt
    private let initial: [DatabaseValue]?
    private var final: [DatabaseValue]?
    private let storedBlob: WrittenBlob?

    init(
        count: Int, depth: CInt, initial: [DatabaseValue]?, final: [DatabaseValue]?, writtenBlob: WrittenBlob? = nil
    ) {
        storedCount = count
        storedDepth = depth
        self.initial = initial
        self.final = final
        storedBlob = writtenBlob
    }

    /// If the copied event reports a write through a blob handle, adds a later write to the same blob to the new
    /// values.
    ///
    /// - Returns: whether the write was added.
    func include(_ write: BlobWrite) -> Bool {
        guard let storedBlob, storedBlob.blob == write.identity, final != nil else { return false }
        write.apply(to: &final![storedBlob.column])
        return true
    }

    override var writtenBlob: WrittenBlob? { storedBlob }

    override var count: Int { storedCount }
    override var depth: CInt { storedDepth }
    override func initialValue(_ index: Int) -> DatabaseValue? { initial?.element(at: index) }
    override func finalValue(_ index: Int) -> DatabaseValue? { final?.element(at: index) }
}

extension Array {
    fileprivate func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// The table whose row changes are reported: its name, and the names of its columns.
final class EventTable {
    let names: EventNames

    private var storedColumnNames: [String]?

    init(_ names: EventNames) {
        self.names = names
    }

    /// The names of the columns, read on first access.
    func columnNames(_ row: EventRow) -> [String] {
        if let storedColumnNames { return storedColumnNames }
        let columnNames = (0..<row.count).map(row.columnName)
        storedColumnNames = columnNames
        return columnNames
    }
}
