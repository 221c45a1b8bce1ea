/// The bytes of JSONB that is being decoded.
///
/// During the decoding, the bytes belong to the caller, often to SQLite. If a type has stored a decoder that outlives
/// the decoding, `keep()` copies the bytes.
final class JSONBStorage {
    private(set) var bytes: JSONBBytes

    private var copy: UnsafeMutableRawPointer?

    /// An error from a function that can't throw. The value that was decoded after it is incomplete.
    var failure: (any Error)?

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = JSONBBytes(bytes)
    }

    deinit { copy?.deallocate() }

    var count: Int { bytes.count }

    /// Copies the bytes.
    func keep() {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, count), alignment: 1)
        copy.copyMemory(from: bytes.start, byteCount: count)
        bytes = JSONBBytes(UnsafeRawBufferPointer(start: copy, count: count))
        self.copy = copy
    }

    @inline(__always)
    func value(at offset: Int, before end: Int) -> JSONBValue? { bytes.value(at: offset, before: end) }

    @inline(__always)
    func payload(_ value: JSONBValue) -> UnsafeRawBufferPointer { bytes.payload(value) }
}
