public import AmalgamCore
public import Foundation

extension DatabaseBlob {
    /// The default size, in bytes, of the chunks in which blobs are read or written.
    public static var defaultChunkSize: Int { 65_536 }

    /// Reads all bytes of the blob.
    ///
    /// ```swift
    /// let data = try db.withBlob(table: "note", column: "attachment", rowID: 1) { try $0.readAll() }
    /// ```
    ///
    /// - Throws: `SQLITE_ABORT` if the blob has expired, for example because its row was changed; `SQLITE_MISUSE` if
    ///   the blob is closed.
    public func readAll() throws -> Data { try read() }

    /// Returns a cursor that reads the blob in chunks.
    ///
    /// ```swift
    /// let file = try FileHandle(forWritingTo: url)
    /// let chunks = blob.chunks(ofCount: 4096)
    /// while let chunk = try chunks.next() {
    ///     try file.write(contentsOf: chunk)
    /// }
    /// ```
    ///
    /// - Parameter count: the size of the chunks in bytes, at least 1. The last chunk may be smaller.
    public func chunks(ofCount count: Int = defaultChunkSize) -> BlobChunkCursor {
        BlobChunkCursor(self, count: max(1, count))
    }

    /// Reads the blob in chunks, and calls a closure with each chunk. All chunks use the same buffer.
    ///
    /// ```swift
    /// var lineCount = 0
    /// try blob.forEachChunk { chunk in
    ///     lineCount += chunk.count { $0 == UInt8(ascii: "\n") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - count: the size of the chunks in bytes, at least 1. The last chunk may be smaller.
    ///   - body: receives a chunk, which is valid during the call.
    /// - Throws: the error thrown by the closure; `SQLITE_ABORT` if the blob has expired, for example because its row
    ///   was changed.
    public func forEachChunk(
        ofCount count: Int = defaultChunkSize, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        // The buffer isn't larger than the blob, for any chunk size.
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

    /// Overwrites the blob with the bytes of a source, in chunks.
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
    ///   - offset: the position, in the blob, of the first byte to overwrite.
    ///   - count: the maximum size of a chunk in bytes, at least 1.
    ///   - source: writes bytes to the beginning of a buffer, and returns their number. A result of 0 or less ends the
    ///     operation.
    /// - Returns: the number of written bytes. The operation ends at the end of the source, or at the end of the blob.
    /// - Throws: the error thrown by the source; the errors of `write(_:at:)`.
    @discardableResult
    public func fill(
        at offset: Int = 0, chunkSize count: Int = defaultChunkSize,
        from source: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Int {
        // Writes no bytes, but performs all checks.
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
    /// Reads at most `count` bytes. Returns no bytes at the end of the blob.
    fileprivate func read(upTo count: Int, at offset: Int) throws -> Data {
        let start = min(offset, self.count)
        return try read(at: start, count: min(count, self.count - start))
    }
}

/// A cursor that reads a blob in chunks. ``DatabaseBlob/chunks(ofCount:)`` returns it.
///
/// ```swift
/// let blob = try db.openBlob(table: "note", column: "attachment", rowID: 1)
/// let chunks = blob.chunks()
/// while let chunk = try chunks.next() { print(chunk.count, "bytes") }
/// ```
public final class BlobChunkCursor: Cursor {
    private let blob: DatabaseBlob
    private let count: Int
    private var offset = 0

    init(_ blob: DatabaseBlob, count: Int) {
        self.blob = blob
        self.count = count
    }

    /// Returns the next chunk, or nil at the end.
    ///
    /// - Throws: `SQLITE_ABORT` if the blob has expired, for example because its row was changed.
    public func next() throws -> Data? {
        let chunk = try blob.read(upTo: count, at: offset)
        offset += chunk.count
        return chunk.isEmpty ? nil : chunk
    }
}
