import CAmalgam
import Foundation

/// Binds arguments to the parameters of a statement.
///
/// SQLite copies the texts and blobs it is given, into memory of its own: an allocation for each. Arguments that serve one
/// run only need none. Their bytes are put side by side into memory of the connection, where they stay until the run has
/// ended and the parameters are cleared; SQLite reads them there.
struct ArgumentBinder: ~Copyable {
    let sqliteStatement: SQLiteStatement

    /// What is left of the memory; nothing for arguments that stay.
    private var free: UnsafeMutableRawBufferPointer

    /// - Parameter memory: empty for arguments that stay until others are bound.
    init(_ sqliteStatement: SQLiteStatement, memory: UnsafeMutableRawBufferPointer = ArgumentMemory.none) {
        self.sqliteStatement = sqliteStatement
        free = memory
    }

    mutating func bind(_ value: DatabaseValue, at index: CInt) -> CInt {
        switch value.storage {
        case .string(let string) where value.isStorable: bind(string, at: index)
        case .blob(let data): bind(data, at: index)
        default: value.bind(to: sqliteStatement, at: index)
        }
    }

    @inline(__always)
    mutating func bind(_ string: String, at index: CInt) -> CInt {
        var string = string
        return string.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: index) }
    }

    mutating func bind(_ data: Data, at index: CInt) -> CInt {
        data.withUnsafeBytes { bindBlob($0, at: index) }
    }

    mutating func bind(_ uuid: UUID, at index: CInt) -> CInt {
        withUnsafeBytes(of: uuid.uuid) { bindBlob($0, at: index) }
    }

    mutating func bind(_ date: Date, at index: CInt) -> CInt {
        guard let text = DateText(date) else { return date.bind(to: sqliteStatement, at: index) }
        guard free.count >= DateText.capacity else { return text.bind(to: sqliteStatement, at: index) }
        return bindTaken(take(text.write(to: free)), at: index)
    }

    @inline(__always)
    private mutating func bindText(_ bytes: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        guard let copy = copy(bytes) else { return AmalgamCore.bindText(bytes, to: sqliteStatement, at: index) }
        return bindTaken(copy, at: index)
    }

    @inline(__always)
    private func bindTaken(_ text: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        sqlite3_bind_text64(
            sqliteStatement, index, text.baseAddress!.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
            UInt8(SQLITE_UTF8))
    }

    private mutating func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        guard bytes.count > 0, let copy = copy(bytes) else {
            return AmalgamCore.bindBlob(bytes, to: sqliteStatement, at: index)
        }
        return sqlite3_bind_blob64(sqliteStatement, index, copy.baseAddress, UInt64(copy.count), nil)
    }

    /// A copy that lasts as long as the memory, or nil when there is no room.
    @inline(__always)
    private mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count < free.count else { return nil }
        free.copyMemory(from: bytes)
        return take(bytes.count)
    }

    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        let taken = UnsafeRawBufferPointer(rebasing: free[..<count])
        free = UnsafeMutableRawBufferPointer(rebasing: free[count...])
        return taken
    }
}

extension [DatabaseValue] {
    /// Binds the values to the parameters of a statement, from the first one on.
    func bind(with binder: inout ArgumentBinder) -> CInt {
        for index in indices {
            let code = binder.bind(self[index], at: CInt(truncatingIfNeeded: index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }
}

/// The memory of a connection for the texts and blobs of one run.
struct ArgumentMemory: ~Copyable {
    static var none: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)

    /// A run may begin inside another one, in a SQL function. It does without, then.
    private var isTaken = false

    mutating func take() -> UnsafeMutableRawBufferPointer {
        if isTaken { return Self.none }
        isTaken = true
        return bytes
    }

    mutating func giveBack(_ memory: UnsafeMutableRawBufferPointer) {
        if memory.baseAddress != nil { isTaken = false }
    }

    deinit { bytes.deallocate() }
}
