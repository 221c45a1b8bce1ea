/// What is read while somebody wants to know.
extension Database {
    /// Runs a closure, and adds what it reads to a region: what the statements read that begin meanwhile, and what is
    /// registered with ``registerAccess(to:)``. Recordings nest: the outer one gets what the inner one gets.
    package func recordingAccess<T>(in region: inout DatabaseRegion, _ body: () throws -> T) rethrows -> T {
        let outer = accessedRegion
        accessedRegion = DatabaseRegion()
        defer {
            let inner = accessedRegion ?? DatabaseRegion()
            region.formUnion(inner)
            accessedRegion = outer?.union(inner)
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
        guard accessedRegion != nil else { return }
        accessedRegion?.formUnion(try region().databaseRegion(self))
    }

    /// Whether somebody wants to know what is read.
    package var isRecordingAccess: Bool { accessedRegion != nil }

    /// Runs a closure in which a statement, with the arguments that it has, reads no other rows of a table than some.
    package func withKnownRows<T>(
        _ rowIDs: Set<Int64>, of table: String, readBy statement: Statement, _ body: () throws -> T
    ) rethrows -> T {
        let outer = knownRows
        knownRows = KnownRows(statement: statement, table: table, rowIDs: rowIDs)
        defer { knownRows = outer }
        return try body()
    }

    /// A statement begins.
    ///
    /// - Parameter hasOtherArguments: whether it gets other arguments than those it has.
    func recordAccess(of statement: Statement, hasOtherArguments: Bool) {
        guard accessedRegion?.isFullDatabase == false else { return }
        var region = statement.databaseRegion
        if let knownRows, knownRows.statement === statement, !hasOtherArguments { region = knownRows.reduce(region) }
        accessedRegion?.formUnion(region)
    }
}

/// The rows of a table that a statement is known to read.
struct KnownRows {
    let statement: Statement
    let table: String
    let rowIDs: Set<Int64>

    func reduce(_ region: DatabaseRegion) -> DatabaseRegion {
        rowIDs.isEmpty ? DatabaseRegion() : region.tableIntersection(table, rowIDs: rowIDs)
    }
}
