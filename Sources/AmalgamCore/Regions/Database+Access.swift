import CAmalgam

/// Recording of the regions that a connection reads.
extension Database {
    /// Runs a closure, and adds to a region all that the closure reads: the regions of the statements that begin in the
    /// closure, and those passed to ``registerAccess(to:)``. A nested call also extends the region of the outer call.
    ///
    /// - Parameters:
    ///   - region: the region to extend.
    ///   - isConstant: whether the region must also include what later calls of `body` read. Such a region isn't
    ///     reduced to rows with known column values: if a call fetches the players with `teamId = 1`, the region
    ///     contains all players. It also contains all rows that a request may prefetch.
    ///   - body: reads the database.
    package func recordingAccess<T>(
        in region: inout DatabaseRegion, isConstant: Bool = false, _ body: () throws -> T
    ) rethrows -> T {
        let outer = observation.accessedRegion
        let outerIsConstant = observation.recordsConstantAccess
        observation.accessedRegion = DatabaseRegion()
        observation.recordsConstantAccess = isConstant || outerIsConstant
        defer {
            let inner = observation.accessedRegion ?? DatabaseRegion()
            region.formUnion(inner)
            observation.accessedRegion = outer?.union(inner)
            observation.recordsConstantAccess = outerIsConstant
        }
        return try body()
    }

    /// Adds a region to the region that a `ValueObservation` tracks, as if the fetch of the observation had read it.
    ///
    /// Observations track the regions that the statements of their fetch read. Call this method in the fetch if the
    /// result also depends on a region that no statement of the fetch reads. For example, a fetch that returns a
    /// default value after an error may not have read all tables on which its result depends. It adds the full
    /// database:
    ///
    /// ```swift
    /// try db.registerAccess(to: DatabaseRegion.fullDatabase)
    /// ```
    ///
    /// Outside of the fetch of an observation, the method has no effect, and doesn't evaluate its argument.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access; an error if the region refers to a schema object that
    ///   doesn't exist.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        try checkAccess()
        guard observation.accessedRegion != nil else { return }
        observation.accessedRegion?.formUnion(try region().databaseRegion(self))
    }

    /// Whether the read region is being recorded.
    package var isRecordingAccess: Bool { observation.accessedRegion != nil }

    /// Runs a closure in which a statement, with its current arguments, only reads the given rows of a table, as
    /// `SELECT * FROM player WHERE id = ?` does. If the SQL refers to the table once, only these rows are recorded as
    /// read. Otherwise, all rows of the table are.
    package func withKnownRows<T>(
        _ rows: KnownRows, of table: String, readBy statement: Statement, _ body: () throws -> T
    ) rethrows -> T {
        let outer = observation.knownRead
        observation.knownRead = KnownRead(statement: statement, table: table, rows: rows)
        defer { observation.knownRead = outer }
        return try body()
    }

    /// Adds the region of a statement, which is about to run, to the recorded region.
    ///
    /// A caller of ``withKnownRows(_:of:readBy:_:)`` knows which rows of a table the statement reads with its current
    /// arguments. For the same statement and arguments, only these rows are recorded; otherwise all rows of the table.
    ///
    /// - Parameter hasOtherArguments: whether the arguments may have changed since that call.
    func recordAccess(of statement: Statement, hasOtherArguments: Bool) {
        guard observation.accessedRegion?.isFullDatabase == false else { return }
        var region = statement.databaseRegion
        if let knownRead = observation.knownRead, knownRead.statement === statement, !hasOtherArguments {
            var rows = knownRead.rows
            if observation.recordsConstantAccess { rows.values = [:] }
            region = statement.region(region, reducedTo: rows, of: knownRead.table)
        }
        observation.accessedRegion?.formUnion(region)
    }

    /// Sets the regions that a table-valued function reads.
    package func setRegions(_ regions: [any DatabaseRegionConvertible], ofTableFunction name: String) {
        let functions = attachment(TableFunctionRegions.key, orInsert: TableFunctionRegions())
        functions.regions[TableName(name)] = regions.isEmpty ? nil : regions
    }

    /// Returns a region, extended by the regions that the table-valued functions in this region read.
    func regionWithTableFunctions(_ region: DatabaseRegion) -> DatabaseRegion {
        guard let functions = attachment(TableFunctionRegions.key), !functions.regions.isEmpty else { return region }
        return union(of: region, functions)
    }

    private func union(of region: DatabaseRegion, _ functions: TableFunctionRegions) -> DatabaseRegion {
        let all = functions.regions
        let named = all.filter { region.isModified(byEventsOfKind: .insert(tableName: $0.key.spelling)) }
        // Functions may use each other recursively: each is visited once.
        named.keys.forEach { functions.regions[$0] = nil }
        defer { functions.regions = all }
        return named.values.joined().reduce(region) { region, part in
            // A region that can't be determined may be anything.
            region.union((try? part.databaseRegion(self)) ?? .fullDatabase)
        }
    }
}

extension Statement {
    /// Returns the region of the statement, reduced to the rows of a table that the statement is known to read. If the
    /// statement may refer to the table again, the region isn't reduced: the other reference may read other rows.
    package func region(
        _ region: DatabaseRegion, reducedTo rows: KnownRows, of table: String
    ) -> DatabaseRegion {
        if rows.rowIDs?.isEmpty == true { return DatabaseRegion() }
        return rows.areAll || !readsOnce(table) ? region : region.tableIntersection(table, rows: rows)
    }

    /// Whether the statement certainly contains a single reference to the table.
    private func readsOnce(_ table: String) -> Bool { amalgam_reads_once(sqliteStatement, table) != 0 }
}

/// A statement, and the rows of a table that it is known to read.
struct KnownRead {
    let statement: Statement
    let table: String
    let rows: KnownRows
}

/// The regions that the table-valued functions of a connection read, which SQLite doesn't report.
private final class TableFunctionRegions: DatabaseAttachment {
    static let key = AttachmentKey<TableFunctionRegions>()
    var regions: [TableName: [any DatabaseRegionConvertible]] = [:]
}
