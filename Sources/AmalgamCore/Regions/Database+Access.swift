import CAmalgam

/// What is read while somebody wants to know.
extension Database {
    /// Runs a closure, and adds what it reads to a region: what the statements read that begin meanwhile, and what is
    /// registered with ``registerAccess(to:)``. Recordings nest: the outer one gets what the inner one gets.
    ///
    /// - Parameter isConstant: whether the region is that of later reads as well. It is not reduced to values of columns
    ///   then, which may come from rows that were read before, nor to the rows that belong to others.
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

    /// Adds a region to those that an observation tracks, as if it was read.
    ///
    /// Observations track what they fetch by themselves. Register what they cannot know, such as a table that decides
    /// whether another one is fetched:
    ///
    /// ```swift
    /// try db.registerAccess(to: DatabaseRegion.fullDatabase)
    /// ```
    ///
    /// It has no effect, and the region is not even computed, when nobody tracks what is read.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access; the error of a region that needs a schema object that does not
    ///   exist.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        try checkAccess()
        guard observation.accessedRegion != nil else { return }
        observation.accessedRegion?.formUnion(try region().databaseRegion(self))
    }

    /// Whether somebody wants to know what is read.
    package var isRecordingAccess: Bool { observation.accessedRegion != nil }

    /// Runs a closure in which a statement, with the arguments that it has, depends on no other rows of a table than some,
    /// as far as one place of the table in the statement is concerned.
    package func withKnownRows<T>(
        _ rows: KnownRows, of table: String, readBy statement: Statement, _ body: () throws -> T
    ) rethrows -> T {
        let outer = observation.knownRead
        observation.knownRead = KnownRead(statement: statement, table: table, rows: rows)
        defer { observation.knownRead = outer }
        return try body()
    }

    /// A statement begins.
    ///
    /// - Parameter hasOtherArguments: whether it gets other arguments than those it has.
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

    /// Notes what a table-valued function reads.
    package func setRegions(_ regions: [any DatabaseRegionConvertible], ofTableFunction name: String) {
        let functions = attachment(TableFunctionRegions.key, orInsert: TableFunctionRegions())
        functions.regions[TableName(name)] = regions.isEmpty ? nil : regions
    }

    /// A region, with what the table-valued functions in it read.
    func regionWithTableFunctions(_ region: DatabaseRegion) -> DatabaseRegion {
        guard let functions = attachment(TableFunctionRegions.key), !functions.regions.isEmpty else { return region }
        return union(of: region, functions)
    }

    private func union(of region: DatabaseRegion, _ functions: TableFunctionRegions) -> DatabaseRegion {
        let all = functions.regions
        let named = all.filter { region.isModified(byEventsOfKind: .insert(tableName: $0.key.spelling)) }
        // A function may use itself, through other functions: each is looked at once.
        named.keys.forEach { functions.regions[$0] = nil }
        defer { functions.regions = all }
        return named.values.joined().reduce(region) { region, part in
            // What is not known may be anything.
            region.union((try? part.databaseRegion(self)) ?? .fullDatabase)
        }
    }
}

extension Statement {
    /// What the statement reads, when it is known which rows of a table it depends on in one of the places where the table
    /// is.
    package func region(
        _ region: DatabaseRegion, reducedTo rows: KnownRows, of table: String
    ) -> DatabaseRegion {
        if rows.rowIDs?.isEmpty == true { return DatabaseRegion() }
        return rows.areAll || !readsOnce(table) ? region : region.tableIntersection(table, rows: rows)
    }

    /// Whether a table has one place in the statement, for sure.
    private func readsOnce(_ table: String) -> Bool { amalgam_reads_once(sqliteStatement, table) != 0 }
}

/// A statement of which it is known which rows of a table it reads.
struct KnownRead {
    let statement: Statement
    let table: String
    let rows: KnownRows
}

/// What the table-valued functions of a connection read. SQLite only knows the functions.
private final class TableFunctionRegions: DatabaseAttachment {
    static let key = AttachmentKey<TableFunctionRegions>()
    var regions: [TableName: [any DatabaseRegionConvertible]] = [:]
}
