/// The bytes of JSONB that is being decoded.
///
/// They belong to somebody else, often to SQLite, as long as decoding lasts. A decoder that a type keeps for longer finds
/// a copy: `keep()` makes it before the bytes go away.
final class JSONBStorage {
    private(set) var bytes: JSONBBytes

    private var copy: UnsafeMutableRawPointer?

    /// What was found where nothing can be thrown. The value that was decoded meanwhile is not complete.
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
