internal import AmalgamCore
import CAmalgam

/// Recorded rows that wait to be stored.
struct RecordedRows {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The error of a change that is too large to be stored, with the number of its table.
    struct TooLarge: Error {
        let table: Int
    }

    /// Finds the next table that has rows to store, but whose identifier in the log isn't known yet.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers of the tables in the log; 0 for a table whose identifier isn't known yet.
    ///   - offset: the position in the recorded rows at which the search continues; 0 for the first call.
    /// - Returns: the index of the table in `identifiers`, or nil at the end.
    func nextTable(missingIn identifiers: [Int64], from offset: inout Int) -> Int? {
        let number = identifiers.withUnsafeBufferPointer { identifiers in
            amalgam_recorder_next_table(pointer, &offset, identifiers.baseAddress, CInt(identifiers.count))
        }
        return number < 0 ? nil : Int(number)
    }

    /// Whether rows were recorded in a context.
    func include(context: Int) -> Bool { amalgam_recorder_has_context(pointer, CInt(context)) != 0 }

    /// Runs a statement that stores all recorded rows in the log.
    ///
    /// - Parameters:
    ///   - statement: copies the rows of the virtual table `amalgam_recorded_changes` to the log. See
    ///     `amalgam_recorder_begin_storing`.
    ///   - origins: the values of `originID`, by the contexts of the rows.
    ///   - tables: the identifiers of the tables in the log, in the order of `AuditTrail.tableNames`.
    /// - Throws: ``TooLarge``, or the error of the statement.
    func store(with statement: Statement, origins: [Int64], tables: [Int64]) throws {
        try origins.withUnsafeBufferPointer { origins in
            try tables.withUnsafeBufferPointer { tables in
                amalgam_recorder_begin_storing(
                    pointer, origins.baseAddress, CInt(origins.count), tables.baseAddress, CInt(tables.count))
                defer { amalgam_recorder_end_storing(pointer) }
                try execute(statement)
            }
        }
    }

    private func execute(_ statement: Statement) throws {
        do {
            try statement.execute()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
            throw TooLarge(table: Int(amalgam_recorder_largest_table(pointer)))
        }
    }
}
