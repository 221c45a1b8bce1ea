import CAmalgam

extension DateText {
    /// Parses a TEXT value; nil for other storage classes, or if it isn't a date or time.
    package init?(_ dbValue: DatabaseValue) {
        guard case .string(let string) = dbValue.storage else { return nil }
        self.init(string)
    }

    /// Parses the TEXT value of a column, in place if it is UTF-8.
    package init?(_ sqliteStatement: SQLiteStatement, _ index: CInt) {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isText {
            self.init(value.pointee.buffer)
        } else {
            // A TEXT value of a UTF-16 database.
            guard sqlite3_column_type(sqliteStatement, index) == SQLITE_TEXT,
                let text = withTextBytes(of: sqliteStatement, index, { DateText($0) })
            else { return nil }
            self = text
        }
    }

    /// Binds the string as TEXT, without creating a `String`.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: 1) { bytes in
            let count = write(to: bytes)
            return bindText(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: sqliteStatement, at: index)
        }
    }
}
