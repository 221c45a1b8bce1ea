import CAmalgam
import Foundation

/// The elements of an array in the form that SQLite reads, in one block of memory.
///
/// Numbers are stored one after the other. For TEXT values and blobs, the block begins with the address of each value
/// (for a blob, also its length). The bytes of the values follow, with a NUL after each TEXT value. The block never
/// changes, so several statements, which retain this object, may read the block at the same time.
final class ArrayStorage: @unchecked Sendable {
    // Sendable: nothing changes after the initializer.
    let count: Int
    let defect: String?
    private let kind: CInt
    private let memory: UnsafeMutableRawPointer

    init<Integer: FixedWidthInteger>(integers: [Integer]) {
        count = integers.count
        defect = nil
        kind = SQLITE_CARRAY_INT64
        memory = Self.allocate(8 * integers.count)
        for (index, integer) in integers.enumerated() {
            memory.storeBytes(of: Int64(integer), toByteOffset: 8 * index, as: Int64.self)
        }
    }

    init(_ values: [DatabaseValue]) {
        count = values.count
        defect = Self.defect(of: values)
        kind = values.first.map(Self.kind) ?? SQLITE_CARRAY_INT64
        memory = defect == nil ? Self.block(of: values, kind) : Self.allocate(0)
    }

    deinit { memory.deallocate() }

    // MARK: Making the block

    private static func kind(_ value: DatabaseValue) -> CInt {
        switch value.storage {
        case .null: -1
        case .int64: SQLITE_CARRAY_INT64
        case .double: SQLITE_CARRAY_DOUBLE
        case .string: SQLITE_CARRAY_TEXT
        case .blob: SQLITE_CARRAY_BLOB
        }
    }

    private static func defect(of values: [DatabaseValue]) -> String? {
        guard let first = values.first.map(kind) else { return nil }
        for value in values {
            let kind = kind(value)
            if kind < 0 { return "an array holds NULL: leave it out, and ask for it with IS NULL" }
            if kind != first { return "an array holds values of several kinds: convert them, or bind them one by one" }
            if case .string(let string) = value.storage, string.utf8.contains(0) {
                return "an array holds a string with a NUL character: bind it by itself"
            }
        }
        return nil
    }

    private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer.allocate(byteCount: max(1, byteCount), alignment: 16)
    }

    private static func block(of values: [DatabaseValue], _ kind: CInt) -> UnsafeMutableRawPointer {
        let headSize = headSize(kind)
        let block = allocate(headSize * values.count + values.reduce(0) { $0 + payloadSize($1) })
        var end = block + headSize * values.count
        for (index, value) in values.enumerated() {
            let head = block + headSize * index
            switch value.storage {
            case .null: break
            case .int64(let integer): head.storeBytes(of: integer, as: Int64.self)
            case .double(let double): head.storeBytes(of: double, as: Double.self)
            case .string(var string):
                head.storeBytes(of: end, as: UnsafeMutableRawPointer.self)
                string.withUTF8 { end.copy($0, count: $0.count) }
                end.advanced(by: string.utf8.count).storeBytes(of: 0, as: UInt8.self)
            case .blob(let data):
                head.storeBytes(of: amalgam_bytes(start: end, count: data.count), as: amalgam_bytes.self)
                data.withUnsafeBytes { end.copy($0, count: $0.count) }
            }
            end += payloadSize(value)
        }
        return block
    }

    private static func headSize(_ kind: CInt) -> Int {
        switch kind {
        case SQLITE_CARRAY_TEXT: MemoryLayout<UnsafeRawPointer>.size
        case SQLITE_CARRAY_BLOB: MemoryLayout<amalgam_bytes>.size
        default: 8
        }
    }

    private static func payloadSize(_ value: DatabaseValue) -> Int {
        switch value.storage {
        case .string(let string): string.utf8.count + 1
        case .blob(let data): data.count
        case .null, .int64, .double: 0
        }
    }

    // MARK: Reading the block

    var values: [DatabaseValue] { values(upTo: count) }

    func values(upTo limit: Int) -> [DatabaseValue] {
        defect == nil ? (0..<min(limit, count)).map(value) : []
    }

    private func value(_ index: Int) -> DatabaseValue {
        let head = memory + Self.headSize(kind) * index
        switch kind {
        case SQLITE_CARRAY_DOUBLE: return head.load(as: Double.self).databaseValue
        case SQLITE_CARRAY_TEXT: return String(cString: head.load(as: UnsafePointer<CChar>.self)).databaseValue
        case SQLITE_CARRAY_BLOB:
            let bytes = head.load(as: amalgam_bytes.self)
            return Data(bytes: bytes.start, count: bytes.count).databaseValue
        default: return head.load(as: Int64.self).databaseValue
        }
    }

    // MARK: Binding

    /// Binds the array. The statement retains the block until a different value is bound, or until it is finalized.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        if defect != nil { return SQLITE_MISUSE }
        guard let count = CInt(exactly: count) else { return SQLITE_TOOBIG }
        return sqlite3_carray_bind_v2(
            sqliteStatement, index, memory, count, kind,
            { Unmanaged<ArrayStorage>.fromOpaque($0!).release() }, Unmanaged.passRetained(self).toOpaque())
    }
}

extension UnsafeMutableRawPointer {
    /// Copies bytes; an empty buffer may have no address.
    fileprivate func copy(_ bytes: some ContiguousBytes, count: Int) {
        guard count > 0 else { return }
        bytes.withUnsafeBytes { copyMemory(from: $0.baseAddress!, byteCount: count) }
    }
}
