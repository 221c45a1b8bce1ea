import CAmalgam
import Foundation

/// The row that SQLite's pre-update hook is telling of, on one connection.
///
/// An event that is kept after its callback knows by its number that the row is not the current one any more.
final class LiveRow {
    private var connection: SQLiteConnection?

    /// Counts the rows told.
    private(set) var number: UInt64 = 0

    /// The bytes that are about to be written through a blob handle, and where: SQLite does not tell.
    var blobWrite: (offset: Int, bytes: UnsafeRawBufferPointer)?

    /// Runs a closure in which the row of the hook is the current one.
    func withRow(of connection: SQLiteConnection, _ body: () -> Void) {
        number &+= 1
        self.connection = connection
        body()
        self.connection = nil
    }

    func isCurrent(_ number: UInt64) -> Bool { connection != nil && number == self.number }

    func connection(_ number: UInt64) -> SQLiteConnection? { number == self.number ? connection : nil }

    func columnName(_ index: Int) -> String {
        connection.flatMap { amalgam_preupdate_column_name($0, CInt(index)) }.map { String(cString: $0) } ?? ""
    }

    func initialValue(_ column: CInt) -> DatabaseValue? {
        var value: OpaquePointer?
        guard let connection, sqlite3_preupdate_old(connection, column, &value) == SQLITE_OK else { return nil }
        return DatabaseValue(sqliteValue: value)
    }

    func finalValue(_ column: CInt) -> DatabaseValue? {
        guard let connection else { return nil }
        var value: OpaquePointer?
        guard sqlite3_preupdate_new(connection, column, &value) == SQLITE_OK else {
            return valueAfterBlobWrite(column, connection)
        }
        let final = DatabaseValue(sqliteValue: value)
        guard case .int64(let integer) = final.storage, amalgam_preupdate_is_real(connection, column) != 0
        else { return final }
        return DatabaseValue(storage: .double(Double(integer)))
    }

    /// SQLite reports a write through a blob handle as a deletion, which has no new values.
    private func valueAfterBlobWrite(_ column: CInt, _ connection: SQLiteConnection) -> DatabaseValue? {
        let writtenColumn = sqlite3_preupdate_blobwrite(connection)
        if writtenColumn < 0 { return nil }
        guard let initial = initialValue(column) else { return nil }
        if column != writtenColumn { return initial }
        guard let blobWrite, var data = Data.fromDatabaseValue(initial) else { return nil }
        let end = blobWrite.offset + blobWrite.bytes.count
        guard blobWrite.offset >= 0, end <= data.count else { return nil }
        data.replaceSubrange(blobWrite.offset..<end, with: blobWrite.bytes)
        if case .string = initial.storage { return String(decoding: data, as: UTF8.self).databaseValue }
        return data.databaseValue
    }
}

/// The names of the columns in the events of one table, read when they are first asked for.
final class EventColumns {
    private var names: [String]?

    func names(of row: LiveRow, count: Int) -> [String] {
        if let names { return names }
        let names = (0..<count).map(row.columnName)
        self.names = names
        return names
    }
}
