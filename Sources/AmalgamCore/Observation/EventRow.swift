import CAmalgam

/// The values of a row before and after its change.
class EventRow {
    /// Changes when the values are those of another row: an event that was kept too long knows by it.
    fileprivate(set) final var number: UInt64 = 0

    var count: Int { 0 }
    var depth: CInt { 0 }
    func columnName(_ index: Int) -> String { "" }
    func initialValue(_ index: Int) -> DatabaseValue? { nil }
    func finalValue(_ index: Int) -> DatabaseValue? { nil }

    /// The blob that is written, when the change is a write through a blob handle.
    var writtenBlob: WrittenBlob? { nil }
}

/// A blob handle, the row where it is, and its column.
struct WrittenBlob {
    let blob: BlobWrite.Identity
    let column: Int
}

/// The row that SQLite's pre-update hook is telling of, on one connection.
final class LiveRow: EventRow {
    /// Set during the calls of the hook.
    private var connection: SQLiteConnection?

    /// The write through a blob handle that is about to happen: SQLite tells of no bytes.
    var blobWrite: BlobWrite?

    /// Begins with the row that the hook tells of.
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

    /// SQLite reports a write through a blob handle as a deletion, which has no new values.
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

/// The values of an event that was copied.
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

    /// Adds a further write to the same blob.
    ///
    /// - Returns: whether it is the same one.
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

/// The table that events are about.
final class EventTable {
    let names: EventNames

    private var storedColumnNames: [String]?

    init(_ names: EventNames) {
        self.names = names
    }

    /// The names of the columns, read when they are first asked for.
    func columnNames(_ row: EventRow) -> [String] {
        if let storedColumnNames { return storedColumnNames }
        let columnNames = (0..<row.count).map(row.columnName)
        storedColumnNames = columnNames
        return columnNames
    }
}
