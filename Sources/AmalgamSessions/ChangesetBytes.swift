import AmalgamCore
import CAmalgam
public import Foundation

/// The bytes of a changeset, of a patchset, or of conflict resolutions. Copies of this value share one block of memory.
///
/// ```swift
/// print(changeset.bytes.count)
/// ```
public struct ChangesetBytes: Hashable, Sendable {
    private final class Storage: @unchecked Sendable {
        // Sendable: the bytes aren't written after initialization.
        let pointer: UnsafeMutableRawPointer?
        let count: CInt

        init(owning pointer: UnsafeMutableRawPointer?, count: CInt) {
            self.pointer = pointer
            self.count = pointer == nil ? 0 : count
        }

        deinit { sqlite3_free(pointer) }
    }

    private let storage: Storage

    /// Creates a value from memory that a function of SQLite allocates. The value owns and frees this memory.
    init(_ fill: (UnsafeMutablePointer<CInt>, UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws -> Void) rethrows {
        var count: CInt = 0
        var pointer: UnsafeMutableRawPointer?
        do {
            try fill(&count, &pointer)
        } catch {
            sqlite3_free(pointer)
            throw error
        }
        storage = Storage(owning: pointer, count: count)
    }

    init(copying bytes: UnsafeRawBufferPointer) throws {
        guard let count = CInt(exactly: bytes.count) else {
            throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "a changeset in memory has 2 GB at most")
        }
        guard let source = bytes.baseAddress, count > 0 else {
            storage = Storage(owning: nil, count: 0)
            return
        }
        guard let pointer = sqlite3_malloc64(UInt64(count)) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        pointer.copyMemory(from: source, byteCount: bytes.count)
        storage = Storage(owning: pointer, count: count)
    }

    /// The number of bytes.
    public var count: Int { Int(storage.count) }

    /// Calls a closure with the bytes, which are valid during the call.
    ///
    /// ```swift
    /// let firstByte = changeset.bytes.withUnsafeBytes { $0.first }
    /// ```
    public func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try withExtendedLifetime(storage) {
            try body(UnsafeRawBufferPointer(start: storage.pointer, count: count))
        }
    }

    /// The bytes as `Data`, without a copy.
    public var data: Data {
        guard let pointer = storage.pointer, count > 0 else { return Data() }
        let storage = storage
        return Data(
            bytesNoCopy: pointer, count: count, deallocator: .custom { _, _ in withExtendedLifetime(storage) {} })
    }

    /// Calls a closure with the number of bytes and a pointer for SQLite's functions, which don't write to the bytes.
    func withSQLiteBytes<T>(_ body: (CInt, UnsafeMutableRawPointer?) throws -> T) rethrows -> T {
        try withExtendedLifetime(storage) { try body(storage.count, storage.pointer) }
    }

    public static func == (lhs: ChangesetBytes, rhs: ChangesetBytes) -> Bool {
        lhs.storage === rhs.storage
            || lhs.withUnsafeBytes { left in rhs.withUnsafeBytes { left.elementsEqual($0) } }
    }

    public func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

/// Decodes a value that is stored as bytes.
///
/// - Parameter make: creates the value, or throws if the bytes are malformed. Its error becomes a `DecodingError`.
func decodeBytes<Value>(from decoder: any Decoder, _ make: (Data) throws -> Value) throws -> Value {
    let container = try decoder.singleValueContainer()
    let data = try container.decode(Data.self)
    do {
        return try make(data)
    } catch {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
}
