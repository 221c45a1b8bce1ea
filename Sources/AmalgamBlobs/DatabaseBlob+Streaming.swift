public import AmalgamCore
public import Foundation

extension DatabaseBlob {
    /// The number of bytes that are read at once when the caller does not say.
    public static var defaultChunkSize: Int { 65_536 }

    /// All bytes.
    ///
    /// - throws: `SQLITE_ABORT` when the blob has expired.
    public func readAll() throws -> Data { try read() }

    /// The bytes, piece by piece.
    ///
    /// ```swift
    /// let chunks = blob.chunks(ofCount: 4096)
    /// while let chunk = try chunks.next() {
    ///     fileHandle.write(chunk)
    /// }
    /// ```
    ///
    /// - Parameter count: how many bytes each piece has, but the last one, which may have fewer. At least 1.
    public func chunks(ofCount count: Int = defaultChunkSize) -> BlobChunkCursor {
        BlobChunkCursor(self, count: max(1, count))
    }

    /// Calls a closure with the bytes, piece by piece. All pieces are in the same memory, which is used again.
    ///
    /// ```swift
    /// var hasher = SHA256()
    /// try blob.forEachChunk { hasher.update(bufferPointer: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - count: how many bytes each piece has, but the last one, which may have fewer. At least 1.
    ///   - body: receives bytes that are valid during the call.
    /// - throws: the error thrown by the closure; `SQLITE_ABORT` when the blob has expired.
    public func forEachChunk(
        ofCount count: Int = defaultChunkSize, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        // The buffer is no larger than the blob, whatever the caller says.
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, min(count, self.count)), alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < self.count {
            let chunk = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(self.count - offset))
            try read(into: chunk, at: offset)
            try body(UnsafeRawBufferPointer(chunk))
            offset += chunk.count
        }
    }

    /// Fills the blob with what a source gives, piece by piece.
    ///
    /// ```swift
    /// let stream = InputStream(url: url)!
    /// stream.open()
    /// let count = try blob.fill { buffer in
    ///     stream.read(buffer.bindMemory(to: UInt8.self).baseAddress!, maxLength: buffer.count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - offset: where the first byte goes.
    ///   - count: how many bytes the source is asked for at once, at most. At least 1.
    ///   - source: puts bytes at the beginning of a buffer, and returns how many: 0 or less at the end.
    /// - Returns: the number of bytes that were written. It ends when the source does, or when the blob is full.
    /// - throws: the error thrown by the source; those of ``write(_:at:)``.
    @discardableResult
    public func fill(
        at offset: Int = 0, chunkSize count: Int = defaultChunkSize,
        from source: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Int {
        // Nothing at all, but the checks.
        try write(UnsafeRawBufferPointer(start: nil, count: 0), at: offset)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, min(count, self.count)), alignment: 16)
        defer { buffer.deallocate() }
        var end = offset
        while end < self.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(self.count - end))
            let received = min(try source(room), room.count)
            if received <= 0 { break }
            try write(UnsafeRawBufferPointer(rebasing: room.prefix(received)), at: end)
            end += received
        }
        return end - offset
    }
}

extension DatabaseBlob {
    /// No byte at the end.
    fileprivate func read(upTo count: Int, at offset: Int) throws -> Data {
        let start = min(offset, self.count)
        return try read(at: start, count: min(count, self.count - start))
    }
}

/// The bytes of a blob, piece by piece: see ``DatabaseBlob/chunks(ofCount:)``.
public final class BlobChunkCursor: Cursor {
    private let blob: DatabaseBlob
    private let count: Int
    private var offset = 0

    init(_ blob: DatabaseBlob, count: Int) {
        self.blob = blob
        self.count = count
    }

    /// The next piece, or nil at the end.
    ///
    /// - throws: `SQLITE_ABORT` when the blob has expired.
    public func next() throws -> Data? {
        let chunk = try blob.read(upTo: count, at: offset)
        offset += chunk.count
        return chunk.isEmpty ? nil : chunk
    }
}
