import CAmalgam
import Foundation

/// Binds arguments to the parameters of a statement.
///
/// SQLite allocates a copy of each string and blob that it binds. To avoid these copies, arguments for a single run of
/// the statement are written to a buffer of the connection, from which SQLite reads them during the run. At the end of
/// the run, the bindings are cleared.
struct ArgumentBinder: ~Copyable {
    let sqliteStatement: SQLiteStatement

    /// The unused part of the buffer; empty for arguments that stay bound after the run.
    private var free: UnsafeMutableRawBufferPointer

    /// Whether strings or blobs are bound, and not only numbers.
    var hasBoundBytes = false

    /// - Parameter memory: empty for arguments that are bound until they are replaced.
    init(_ sqliteStatement: SQLiteStatement, memory: UnsafeMutableRawBufferPointer = ArgumentMemory.none) {
        self.sqliteStatement = sqliteStatement
        free = memory
    }

    mutating func bind(_ value: DatabaseValue, at index: CInt) -> CInt {
        switch value.storage {
        case .string(let string) where value.isStorable: bind(string, at: index)
        case .blob(let data): bind(data, at: index)
        default: bindOther(value, at: index)
        }
    }

    /// Binds a value by the `bind` method of its type.
    mutating func bindOther(_ value: some DatabaseValueConvertible, at index: CInt) -> CInt {
        hasBoundBytes = true
        return value.bind(to: sqliteStatement, at: index)
    }

    @inline(__always)
    mutating func bind(_ string: String, at index: CInt) -> CInt {
        hasBoundBytes = true
        let free = free
        // Succeeds for native Swift strings, whose bytes are accessible without a copy.
        let count = string.utf8.withContiguousStorageIfAvailable { Self.copy(UnsafeRawBufferPointer($0), to: free) }
        if let count = count ?? nil { return bindTaken(take(count), at: index) }
        return bindLonger(string, at: index)
    }

    private func bindLonger(_ string: String, at index: CInt) -> CInt {
        var string = string
        return string.withUTF8 { AmalgamCore.bindText(UnsafeRawBufferPointer($0), to: sqliteStatement, at: index) }
    }

    @inline(__always)
    mutating func bind(_ data: Data, at index: CInt) -> CInt {
        hasBoundBytes = true
        let free = free
        let count = data.withUnsafeBytes { Self.copy($0, to: free) }
        guard let count, count > 0 else { return bindLonger(data, at: index) }
        return bindTakenBlob(take(count), at: index)
    }

    /// Binds a blob that is empty, or too long for the memory.
    private func bindLonger(_ data: Data, at index: CInt) -> CInt {
        data.withUnsafeBytes { AmalgamCore.bindBlob($0, to: sqliteStatement, at: index) }
    }

    mutating func bind(_ uuid: UUID, at index: CInt) -> CInt {
        hasBoundBytes = true
        let free = free
        return withUnsafeBytes(of: uuid.uuid) { bytes in
            if let count = Self.copy(bytes, to: free) { return bindTakenBlob(take(count), at: index) }
            return AmalgamCore.bindBlob(bytes, to: sqliteStatement, at: index)
        }
    }

    mutating func bind(_ date: Date, at index: CInt) -> CInt {
        hasBoundBytes = true
        guard free.count >= DateText.capacity, let count = DateText.write(date, to: free) else {
            return date.bind(to: sqliteStatement, at: index)
        }
        return bindTaken(take(count), at: index)
    }

    @inline(__always)
    private func bindTaken(_ text: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        // Without a destructor, SQLite doesn't copy the bytes.
        sqlite3_bind_text64(
            sqliteStatement, index, text.baseAddress!.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
            UInt8(SQLITE_UTF8))
    }

    @inline(__always)
    private func bindTakenBlob(_ blob: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        sqlite3_bind_blob64(sqliteStatement, index, blob.baseAddress, UInt64(blob.count), nil)
    }

    /// Copies bytes to the buffer.
    ///
    /// - Returns: the number of bytes; nil if the buffer is too small.
    @inline(__always)
    private static func copy(_ bytes: UnsafeRawBufferPointer, to free: UnsafeMutableRawBufferPointer) -> Int? {
        guard bytes.count < free.count else { return nil }
        free.copyMemory(from: bytes)
        return bytes.count
    }

    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        let taken = UnsafeRawBufferPointer(rebasing: free[..<count])
        free = UnsafeMutableRawBufferPointer(rebasing: free[count...])
        return taken
    }
}

extension [DatabaseValue] {
    /// Binds the values to the parameters of a statement, starting at the first one.
    func bind(with binder: inout ArgumentBinder) -> CInt {
        for index in indices {
            let code = binder.bind(self[index], at: CInt(truncatingIfNeeded: index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }
}

/// The buffer of a connection for the strings and blobs of one run of a statement.
struct ArgumentMemory: ~Copyable {
    static var none: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)

    /// Whether a run uses the buffer. A run that an SQL function starts during this run gets no buffer.
    private var isTaken = false

    mutating func take() -> UnsafeMutableRawBufferPointer {
        if isTaken { return Self.none }
        isTaken = true
        return bytes
    }

    mutating func release(_ memory: UnsafeMutableRawBufferPointer) {
        if memory.baseAddress != nil { isTaken = false }
    }

    deinit { bytes.deallocate() }
}
