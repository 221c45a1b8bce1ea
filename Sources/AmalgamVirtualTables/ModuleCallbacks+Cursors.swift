import AmalgamCore
import CAmalgam

// The C functions for the cursors of a table.

extension sqlite3_module {
    mutating func addCursors() {
        xOpen = openCursor
        xClose = closeCursor
        xFilter = filterCursor
        xNext = moveCursor
        xEof = isAtEnd
        xColumn = readColumn
        xRowid = readRowID
    }
}

private typealias CursorPointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

@inline(__always)
private func parts(of cursor: CursorPointer) -> UnsafeMutablePointer<amalgam_table_cursor> {
    UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: amalgam_table_cursor.self)
}

extension amalgam_table_cursor {
    /// Runs an operation of the cursor. The call doesn't retain the operations, because the table retains them.
    @inline(__always)
    fileprivate func perform<Result>(
        _ operation: (CursorOperations, UnsafeMutableRawPointer) throws -> Result
    ) rethrows -> Result {
        try Unmanaged<CursorOperations>.fromOpaque(operations)._withUnsafeGuaranteedRef { try operation($0, state) }
    }
}

private func openCursor(
    _ table: ModuleCallContext.Pointer?, cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> CInt {
    ModuleCallContext.perform(table) { object in
        guard let memory = sqlite3_malloc64(UInt64(MemoryLayout<amalgam_table_cursor>.size)) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        do {
            let state = try object.definition.table.open(object)
            let pointer = memory.bindMemory(to: amalgam_table_cursor.self, capacity: 1)
            pointer.initialize(to: amalgam_table_cursor())
            pointer.pointee.operations = UnsafeRawPointer(
                Unmanaged.passUnretained(object.definition.cursor).toOpaque())
            pointer.pointee.state = state
            pointer.pointee.is_at_end = 1
            cursor?.pointee = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        } catch {
            sqlite3_free(memory)
            throw error
        }
    }
}

private func closeCursor(_ cursor: CursorPointer?) -> CInt {
    guard let cursor else { return SQLITE_OK }
    parts(of: cursor).pointee.perform { $0.close($1) }
    sqlite3_free(cursor)
    return SQLITE_OK
}

private func filterCursor(
    _ cursor: CursorPointer?, planNumber: CInt, _: UnsafePointer<CChar>?, count: CInt,
    values: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    let parts = parts(of: cursor)
    parts.pointee.is_at_end = 1
    do {
        let hasRow = try parts.pointee.perform {
            try $0.filter(ModuleCallContext.object(of: cursor.pointee.pVtab), $1, planNumber, count, values)
        }
        parts.pointee.is_at_end = hasRow ? 0 : 1
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}

// The functions that are called for each row or column are inlined. A separate function handles their failures.

/// Handles the failure of a cursor, outside of its loop.
@inline(never)
private func fail(_ cursor: CursorPointer, _ error: any Error) -> CInt {
    parts(of: cursor).pointee.is_at_end = 1
    return CallbackFailure(error).report(to: cursor.pointee.pVtab)
}

@inline(__always)
private func moveCursor(_ cursor: CursorPointer?) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    do {
        parts(of: cursor).pointee.is_at_end = try parts(of: cursor).pointee.perform { try $0.next($1) } ? 0 : 1
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}

private func isAtEnd(_ cursor: CursorPointer?) -> CInt {
    parts(of: cursor.unsafelyUnwrapped).pointee.is_at_end
}

@inline(__always)
private func readColumn(_ cursor: CursorPointer?, context: OpaquePointer?, index: CInt) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    do {
        try parts(of: cursor).pointee.perform { try $0.column($1, index, context.unsafelyUnwrapped) }
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}

private func readRowID(_ cursor: CursorPointer?, rowID: UnsafeMutablePointer<sqlite3_int64>?) -> CInt {
    let cursor = cursor.unsafelyUnwrapped
    do {
        rowID?.pointee = try parts(of: cursor).pointee.perform { try $0.rowID($1) }
        return SQLITE_OK
    } catch {
        return fail(cursor, error)
    }
}
