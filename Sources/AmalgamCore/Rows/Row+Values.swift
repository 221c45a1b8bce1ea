import CAmalgam
public import Foundation

// MARK: - Positions

extension Row {
    /// Returns the position of a column, found by its name.
    @inlinable
    package func index(ofColumn name: String) -> Int? {
        if let predictor { return predictor.index(of: name, in: columns) }
        return firstIndex(ofColumn: name)
    }

    /// Returns whether the row has a column with this name, compared without regard to case.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id")!
    /// row.hasColumn("ID")   // true
    /// ```
    public func hasColumn(_ columnName: String) -> Bool {
        columns.index(of: columnName) != nil
    }

    /// Returns the position of a column in the statement, or in the cells of a copy.
    package func baseIndex(_ index: Int) -> Int {
        layout?.baseIndexes[index] ?? index
    }

    @usableFromInline
    func checkIndex(_ index: Int) {
        require(index >= 0 && index < count, "row index out of range")
    }

    /// Returns whether a column holds NULL. This is cheaper than reading the value.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT NULL AS name")!
    /// row.hasNull(atIndex: 0)   // true
    /// ```
    ///
    /// - Parameter index: the position of the column. A position out of bounds is a programmer error and traps.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        let index = baseIndex(index)
        if let statement { return amalgam_column(statement.sqliteStatement, CInt(index)).pointee.isNull }
        return cells![index].type == SQLITE_NULL
    }

    /// Returns whether a column holds TEXT.
    package func hasText(atIndex index: Int) -> Bool {
        checkIndex(index)
        let index = baseIndex(index)
        guard let statement else { return cells![index].type == SQLITE_TEXT }
        return sqlite3_column_type(statement.sqliteStatement, CInt(index)) == SQLITE_TEXT
    }

    /// Whether a column of the row, or of one of its scopes, holds a value other than NULL.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !hasNull(atIndex: $0) }
            || scopes.contains { $0.row.containsNonNullValue }
    }

    /// Returns the stored value at a position, which isn't checked.
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
            let real = Double(bitPattern: UInt64(bitPattern: cell.payload))
            return DatabaseValue(storage: .double(real), isStrict: isStrict)
        case SQLITE_TEXT:
            return DatabaseValue(storage: .string(String(decoding: bytes(of: cell), as: UTF8.self)))
        case SQLITE_BLOB:
            return DatabaseValue(storage: .blob(Data(bytes(of: cell))), isStrict: isStrict)
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
    ///
    /// A position out of bounds is a programmer error and traps.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        checkIndex(index)
        return databaseValue(atUncheckedIndex: index).storage.value
    }

    /// The value at a position.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT id, name FROM player")!
    /// let id: Int64 = row[0]
    /// let name = row[1] as String?
    /// ```
    ///
    /// Traps if the value can't be converted, or if the position is out of bounds.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        checkIndex(index)
        return trapping(index) { try decodeStored(Value.self, atUncheckedIndex: index) }
    }

    /// The value at a position, decoded directly from the statement.
    ///
    /// Traps if the value can't be converted, or if the position is out of bounds.
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

    /// The stored value of the leftmost column with this name, compared without regard to case, as `Int64`, `Double`,
    /// `String` or `Data`; nil for NULL and for a missing column.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        index(ofColumn: columnName).flatMap { databaseValue(atUncheckedIndex: $0).storage.value }
    }

    /// The value of the leftmost column with this name, compared without regard to case.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT id, name FROM player")!
    /// let id: Int64 = row["id"]
    /// let name = row["name"] as String?
    /// ```
    ///
    /// Traps if the value can't be converted, or if the column is missing and the type isn't optional.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        guard let index = index(ofColumn: columnName) else { return trappingMissing(columnName) }
        return trapping(index) { try decodeStored(Value.self, atUncheckedIndex: index) }
    }

    /// The value of the leftmost column with this name, compared without regard to case, decoded directly from the
    /// statement.
    ///
    /// Traps if the value can't be converted, or if the column is missing and the type isn't optional.
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
    /// Returns the value at a position.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT name FROM player")!
    /// let name = try row.decode(String.self, atIndex: 0)
    /// ```
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or the position is out of bounds.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try check(index)
        return try decodeStored(type, atUncheckedIndex: index)
    }

    /// Returns the value at a position, decoded directly from the statement.
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or the position is out of bounds.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try check(index)
        return try decodeFast(type, atUncheckedIndex: index)
    }

    /// Returns the value of the leftmost column with this name, compared without regard to case.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT name, score FROM player")!
    /// let score = try row.decode(Int.self, forColumn: "score")
    /// ```
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or if the column is missing and the type isn't
    ///   optional.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else { return try missing(columnName) }
        return try decodeStored(type, atUncheckedIndex: index)
    }

    /// Returns the value of the leftmost column with this name, compared without regard to case, decoded directly from
    /// the statement.
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or if the column is missing and the type isn't
    ///   optional.
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

    /// Decodes a value directly from the statement, or, in a copied row, from the stored value.
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

    /// Returns the unchanged bytes of a TEXT value in a copied row. A `String` would replace bytes that aren't UTF-8.
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

    /// Returns the context of an error: the row of the statement, before adapters are applied, or this copied row.
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
    /// Calls a closure with the bytes of a column, without copying them. The `Data` is valid only during the call.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT x'0102' AS photo")!
    /// let count = try row.withUnsafeData(atIndex: 0) { data in data?.count ?? 0 }   // 2
    /// ```
    ///
    /// The closure receives nil for NULL, and the UTF-8 bytes of a TEXT value.
    ///
    /// - Throws: the error of the closure; a ``RowDecodingError`` for a number, and for a position out of bounds;
    ///   `SQLITE_NOMEM` if SQLite can't convert a TEXT value to UTF-8.
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
        // The bytes of a TEXT value are UTF-8, also in a UTF-16 database.
        let start =
            type == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_column_text(statement.sqliteStatement, CInt(base)))
            : sqlite3_column_blob(statement.sqliteStatement, CInt(base))
        // An empty BLOB has no address. TEXT without an address couldn't be converted.
        if start == nil && type == SQLITE_TEXT { throw statement.undecodable(Data.self, column: CInt(base)) }
        let count = Int(sqlite3_column_bytes(statement.sqliteStatement, CInt(base)))
        return try withoutCopy(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), body)
    }

    /// Calls a closure with the bytes of a column, without copying them. The `Data` is valid only during the call.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT x'0102' AS photo")!
    /// let count = try row.withUnsafeData(named: "photo") { data in data?.count ?? 0 }   // 2
    /// ```
    ///
    /// The closure receives nil for NULL, and for a missing column.
    ///
    /// - Throws: the errors of ``withUnsafeData(atIndex:_:)``.
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

    /// Returns the first value that isn't NULL among the given columns, in the given order; nil if all are NULL.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT NULL AS nickname, 'Anna' AS name")!
    /// let name: String? = row.coalesce(["nickname", "name"])   // "Anna"
    /// ```
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for column in columns {
            if let value: T = self[column] as T? { return value }
        }
        return nil
    }
}
