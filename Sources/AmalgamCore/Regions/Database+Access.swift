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

    /// A statement begins.
    func recordAccess(of statement: Statement) {
        if accessedRegion?.isFullDatabase == false { accessedRegion?.formUnion(statement.databaseRegion) }
    }
}
