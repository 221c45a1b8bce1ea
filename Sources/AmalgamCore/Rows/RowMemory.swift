import CAmalgam

/// Memory for the copies of many rows, which are released together.
///
/// Allocating and releasing memory for each row takes longer than copying a short row.
struct RowMemory: ~Copyable {
    private var chunks: [UnsafeMutablePointer<amalgam_cell>] = []
    private var next: UnsafeMutableRawPointer?
    private var available = 0

    /// The sizes of the first and of the largest chunk, in bytes. Larger chunks would be slower: the allocator returns
    /// them to the operating system when they are released, and the system has to clear the memory of the next chunks.
    private static let smallestChunk = 1 << 10
    private static let largestChunk = 1 << 16

    deinit {
        for chunk in chunks { amalgam_row_free(chunk) }
    }

    /// Copies the values of the current row of a statement.
    ///
    /// - Throws: `SQLITE_NOMEM` if memory is exhausted.
    mutating func copy(_ statement: Statement, count: Int) throws -> UnsafeMutablePointer<amalgam_cell> {
        let size = amalgam_row_size(statement.sqliteStatement, CInt(count))
        if size == 0 { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        let cells = try allocate(size).assumingMemoryBound(to: amalgam_cell.self)
        amalgam_row_write(statement.sqliteStatement, CInt(count), cells)
        return cells
    }

    private mutating func allocate(_ size: Int) throws -> UnsafeMutableRawPointer {
        let stride = MemoryLayout<amalgam_cell>.alignment
        let size = (size + stride - 1) & ~(stride - 1)
        if let memory = next, size <= available {
            next = memory + size
            available -= size
            return memory
        }
        let chunkSize = max(size, min(Self.smallestChunk << min(chunks.count, 6), Self.largestChunk))
        guard let chunk = amalgam_row_allocate(chunkSize) else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        chunks.append(chunk)
        let memory = UnsafeMutableRawPointer(chunk)
        next = memory + size
        available = chunkSize - size
        return memory
    }
}
