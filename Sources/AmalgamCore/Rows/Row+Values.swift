import CAmalgam
public import Foundation

// MARK: - Positions

extension Row {
    /// The position of a column, by its name.
    @inlinable
    package func index(ofColumn name: String) -> Int? {
        if let predictor { return predictor.index(of: name, in: columns) }
        return columns.index(of: name)
    }

    /// Whether the row has a column with this name, whatever its case.
    public func hasColumn(_ columnName: String) -> Bool {
        columns.index(of: columnName) != nil
    }

    /// Where a column of the row is in the statement, or in the cells.
    package func baseIndex(_ index: Int) -> Int {
        layout?.baseIndexes[index] ?? index
    }

    @usableFromInline
    func checkIndex(_ index: Int) {
        require(index >= 0 && index < count, "row index out of range")
    }

    /// Whether a column holds NULL. It is the cheapest question to ask.
    ///
    /// - Parameter index: a position in the row; one out of bounds is a programmer error and traps.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        let index = baseIndex(index)
        if let statement { return amalgam_column(statement.sqliteStatement, CInt(index)).pointee.isNull }
        return cells![index].type == SQLITE_NULL
    }

    /// Whether a column holds a text.
    package func hasText(atIndex index: Int) -> Bool {
        checkIndex(index)
        let index = baseIndex(index)
        guard let statement else { return cells![index].type == SQLITE_TEXT }
        return sqlite3_column_type(statement.sqliteStatement, CInt(index)) == SQLITE_TEXT
    }

    /// Whether any column holds something else than NULL.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !hasNull(atIndex: $0) }
            || scopes.contains { $0.row.containsNonNullValue }
    }

    /// The stored value at a position that exists.
    @usableFromInline
    package func databaseValue(atUncheckedIndex index: Int) -> DatabaseValue {
        let index = baseIndex(index)
        guard let cells else {
            return DatabaseValue(sqliteStatement: statement!.sqliteStatement, index: CInt(index))
        }
        let cell = cells[index]
        switch cell.type {
        case SQLITE_INTEGER:
            return DatabaseValue(storage: .int64(cell.payload))
        case SQLITE_FLOAT:
            return DatabaseValue(storage: .double(Double(bitPattern: UInt64(bitPattern: cell.payload))))
        case SQLITE_TEXT:
            return DatabaseValue(storage: .string(String(decoding: bytes(of: cell), as: UTF8.self)))
        case SQLITE_BLOB:
            return DatabaseValue(storage: .blob(Data(bytes(of: cell))))
        default:
            return .null
        }
    }

    private func bytes(of cell: amalgam_cell) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(cells!) + Int(cell.payload), count: Int(cell.length))
    }
}

// MARK: - Subscripts

extension Row {
    /// The stored value at a position, as `Int64`, `Double`, `String` or `Data`; nil for NULL.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        checkIndex(index)
        return databaseValue(atUncheckedIndex: index).storage.value
    }

    /// The value at a position.
    ///
    /// A value that does not convert, and a position out of bounds, are programmer errors and trap.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        checkIndex(index)
        return trapping(index) { try decodeStored(Value.self, atUncheckedIndex: index) }
    }

    /// The value at a position, decoded straight from the statement.
    ///
    /// A value that does not convert, and a position out of bounds, are programmer errors and trap.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) -> Value {
        checkIndex(index)
        if let plainStatement,
            let value = Value.fromStatement(plainStatement, atUncheckedIndex: CInt(truncatingIfNeeded: index))
        {
            return value
        }
        return trapping(index) { try decodeFast(Value.self, atUncheckedIndex: index) }
    }

    /// The stored value of the leftmost column with this name, as `Int64`, `Double`, `String` or `Data`; nil for NULL
    /// and for a missing column.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        index(ofColumn: columnName).flatMap { databaseValue(atUncheckedIndex: $0).storage.value }
    }

    /// The value of the leftmost column with this name, whatever its case.
    ///
    /// A value that does not convert is a programmer error and traps, and so is a missing column, unless the type is
    /// optional.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        guard let index = index(ofColumn: columnName) else { return trappingMissing(columnName) }
        return trapping(index) { try decodeStored(Value.self, atUncheckedIndex: index) }
    }

    /// The value of the leftmost column with this name, whatever its case, decoded straight from the statement.
    ///
    /// A value that does not convert is a programmer error and traps, and so is a missing column, unless the type is
    /// optional.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ columnName: String) -> Value {
        guard let index = index(ofColumn: columnName) else { return trappingMissing(columnName) }
        if let plainStatement,
            let value = Value.fromStatement(plainStatement, atUncheckedIndex: CInt(truncatingIfNeeded: index))
        {
            return value
        }
        return trapping(index) { try decodeFast(Value.self, atUncheckedIndex: index) }
    }

    @inlinable
    package func trapping<Value>(_ index: Int, _ decode: () throws -> Value) -> Value {
        do {
            return try decode()
        } catch {
            trap(error, index: index, Value.self)
        }
    }

    @usableFromInline
    package func trap(_ error: any Error, index: Int, _ type: Any.Type) -> Never {
        fatalError("could not convert \(databaseValue(atUncheckedIndex: index)) to \(type): \(error)")
    }

    @inlinable
    package func trappingMissing<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        guard let value = Value.fromMissingColumn() else { trap(missing: columnName) }
        return value
    }

    @usableFromInline
    func trap(missing columnName: String) -> Never {
        let error = RowDecodingError(reason: "no such column: \(columnName)", context: decodingContext(index: nil))
        fatalError("\(error)")
    }
}

// MARK: - Decoding

extension Row {
    /// The value at a position.
    ///
    /// - throws: a ``RowDecodingError`` when the value does not convert, or the position is out of bounds.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try check(index)
        return try decodeStored(type, atUncheckedIndex: index)
    }

    /// The value at a position, decoded straight from the statement.
    ///
    /// - throws: a ``RowDecodingError`` when the value does not convert, or the position is out of bounds.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try check(index)
        return try decodeFast(type, atUncheckedIndex: index)
    }

    /// The value of the leftmost column with this name, whatever its case.
    ///
    /// - throws: a ``RowDecodingError`` when the value does not convert, or the column is missing.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else { return try missing(columnName) }
        return try decodeStored(type, atUncheckedIndex: index)
    }

    /// The value of the leftmost column with this name, whatever its case, decoded straight from the statement.
    ///
    /// - throws: a ``RowDecodingError`` when the value does not convert, or the column is missing.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else { return try missing(columnName) }
        return try decodeFast(type, atUncheckedIndex: index)
    }

    @usableFromInline
    func check(_ index: Int) throws {
        if index >= 0 && index < count { return }
        throw RowDecodingError(reason: "row index out of range: \(index)", context: decodingContext(index: nil))
    }

    @inlinable
    package func missing<Value: DatabaseValueConvertible>(_ columnName: String) throws -> Value {
        if let value = Value.fromMissingColumn() { return value }
        throw columnNotFound(columnName)
    }

    @usableFromInline
    package func columnNotFound(_ columnName: String) -> RowDecodingError {
        .columnNotFound(columnName, decodingContext(index: nil))
    }

    @inlinable
    package func decodeStored<Value: DatabaseValueConvertible>(
        _ type: Value.Type, atUncheckedIndex index: Int
    ) throws -> Value {
        if let value = Value.fromDatabaseValue(databaseValue(atUncheckedIndex: index)) { return value }
        throw mismatch(type, index: index)
    }

    /// Live rows are decoded straight from the statement, copies from their stored values.
    @inlinable
    package func decodeFast<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, atUncheckedIndex index: Int
    ) throws -> Value {
        guard let (statement, baseIndex) = liveColumn(index) else {
            if Value.self == Data.self || Value.self == Data?.self, let data = textBytes(atUncheckedIndex: index) {
                return data as! Value
            }
            return try decodeStored(type, atUncheckedIndex: index)
        }
        if let value = Value.fromStatement(statement, atUncheckedIndex: baseIndex) { return value }
        throw mismatch(type, index: index)
    }

    /// The bytes of a text of a copy. A string would not keep those that are not UTF-8.
    @usableFromInline
    func textBytes(atUncheckedIndex index: Int) -> Data? {
        guard let cell = cells?[baseIndex(index)], cell.type == SQLITE_TEXT else { return nil }
        return Data(bytes(of: cell))
    }

    @usableFromInline
    func liveColumn(_ index: Int) -> (SQLiteStatement, CInt)? {
        statement.map { ($0.sqliteStatement, CInt(baseIndex(index))) }
    }

    @usableFromInline
    package func mismatch(_ type: Any.Type, index: Int) -> RowDecodingError {
        .mismatch(type, databaseValue(atUncheckedIndex: index), decodingContext(index: index))
    }

    /// Errors of a live statement speak of the row of the statement, those of a copy speak of the copy.
    package func decodingContext(index: Int?) -> RowDecodingError.Context {
        let row = statement == nil ? self : unadapted
        let index = index.map { statement == nil ? $0 : baseIndex($0) }
        return RowDecodingError.Context(
            columnIndex: index, columnName: index.map { row.columns.names[$0] }, row: row.description,
            sql: statement?.sql, arguments: statement?.arguments)
    }
}

// MARK: - Bytes

extension Row {
    /// Calls a closure with the bytes of a column, which are not copied: they are valid during the call only.
    ///
    /// ```swift
    /// let hash = try row.withUnsafeData(atIndex: 2) { data in data.map { SHA256.hash(data: $0) } }
    /// ```
    ///
    /// The closure receives nil for NULL. A text gives its UTF-8 bytes.
    ///
    /// - throws: the error thrown by the closure; a ``RowDecodingError`` for a number, and for an index out of bounds;
    ///   `SQLITE_NOMEM` when a text cannot be converted.
    public func withUnsafeData<T>(atIndex index: Int, _ body: (Data?) throws -> T) throws -> T {
        try check(index)
        let base = baseIndex(index)
        guard let statement else {
            let cell = cells![base]
            if cell.type == SQLITE_NULL { return try body(nil) }
            guard cell.type == SQLITE_TEXT || cell.type == SQLITE_BLOB else { throw mismatch(Data.self, index: index) }
            return try withoutCopy(bytes(of: cell), body)
        }
        let type = sqlite3_column_type(statement.sqliteStatement, CInt(base))
        if type == SQLITE_NULL { return try body(nil) }
        guard type == SQLITE_TEXT || type == SQLITE_BLOB else { throw mismatch(Data.self, index: index) }
        // The bytes of a text are UTF-8, also in a UTF-16 database.
        let start =
            type == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_column_text(statement.sqliteStatement, CInt(base)))
            : sqlite3_column_blob(statement.sqliteStatement, CInt(base))
        // A blob without bytes has no address; a text without one could not be converted.
        if start == nil && type == SQLITE_TEXT { throw statement.undecodable(Data.self, column: CInt(base)) }
        let count = Int(sqlite3_column_bytes(statement.sqliteStatement, CInt(base)))
        return try withoutCopy(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), body)
    }

    /// Calls a closure with the bytes of a column, which are not copied: they are valid during the call only.
    ///
    /// The closure receives nil for NULL, and for a missing column.
    ///
    /// - throws: the errors of ``withUnsafeData(atIndex:_:)``.
    public func withUnsafeData<T>(named columnName: String, _ body: (Data?) throws -> T) throws -> T {
        guard let index = index(ofColumn: columnName) else { return try body(nil) }
        return try withUnsafeData(atIndex: index, body)
    }

    private func withoutCopy<T>(_ bytes: UnsafeRawBufferPointer, _ body: (Data?) throws -> T) throws -> T {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return try body(Data()) }
        let memory = UnsafeMutableRawPointer(mutating: start)
        return try withExtendedLifetime(self) {
            try body(Data(bytesNoCopy: memory, count: bytes.count, deallocator: .none))
        }
    }

    /// The first value that is not NULL among some columns, in the order given; nil when there is none.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for column in columns {
            if let value: T = self[column] as T? { return value }
        }
        return nil
    }
}
