import CAmalgam

extension DateText {
    /// The parts of a stored text, or nil when it is not a text, or not a date or time.
    package init?(_ dbValue: DatabaseValue) {
        guard case .string(var string) = dbValue.storage else { return nil }
        guard let text = string.withUTF8({ DateText(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = text
    }

    /// The parts of a text in a column, read in place.
    package init?(_ sqliteStatement: SQLiteStatement, _ index: CInt) {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isText {
            self.init(value.pointee.buffer)
        } else {
            // The texts of UTF-16 databases.
            guard sqlite3_column_type(sqliteStatement, index) == SQLITE_TEXT,
                let text = withTextBytes(of: sqliteStatement, index, { DateText($0) })
            else { return nil }
            self = text
        }
    }
}
