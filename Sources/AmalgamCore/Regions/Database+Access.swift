import CAmalgam

/// Recording of the regions that a connection reads.
extension Database {
    /// Runs a closure, and adds the region that it reads: that of the statements that begin during the closure, and the
    /// regions passed to ``registerAccess(to:)``. Recordings nest: the outer one includes the region of the inner one.
    ///
    /// - Parameters:
    ///   - region: the region to extend.
    ///   - isConstant: whether the region must also hold for later reads. Then it isn't reduced to column values, which
    ///     may come from rows that were read before, or to the rows prefetched for the rows of a request.
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

    /// Adds a region to the tracked region of an observation, as if it was read.
    ///
    /// Observations track the region that they read. Register a region that no statement of the fetch reads, such as a
    /// table whose content decides which other table is fetched:
    ///
    /// ```swift
    /// try db.registerAccess(to: DatabaseRegion.fullDatabase)
    /// ```
    ///
    /// If the read region isn't being recorded, the method has no effect, and doesn't evaluate its argument.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of an access; an error if the region refers to a schema object that doesn't
    ///   exist.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        try checkAccess()
        guard observation.accessedRegion != nil else { return }
        observation.accessedRegion?.formUnion(try region().databaseRegion(self))
    }

    /// Whether the read region is being recorded.
    package var isRecordingAccess: Bool { observation.accessedRegion != nil }

    /// Runs a closure in which a statement, with its current arguments, depends only on some rows of a table, for one
    /// reference to the table in the statement.
    package func withKnownRows<T>(
        _ rows: KnownRows, of table: String, readBy statement: Statement, _ body: () throws -> T
    ) rethrows -> T {
        let outer = observation.knownRead
        observation.knownRead = KnownRead(statement: statement, table: table, rows: rows)
        defer { observation.knownRead = outer }
        return try body()
    }

    /// Adds the region of a statement that begins to the recorded region.
    ///
    /// - Parameter hasOtherArguments: whether the statement receives different arguments.
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

    /// Returns a region, extended by the regions that its table-valued functions read.
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
            // An unknown region may be anything.
            region.union((try? part.databaseRegion(self)) ?? .fullDatabase)
        }
    }
}

extension Statement {
    /// Returns a region of the statement, reduced to the rows of a table that the statement is known to read. The rows
    /// are known for one reference to the table, so the region is only reduced if there is one.
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
