extension Database {
    /// Adds a collation to the connection, or puts it in the place of the one with the same name.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     db.add(collation: DatabaseCollation("byLength") { lhs, rhs in … })
    /// }
    /// // SELECT name FROM player ORDER BY name COLLATE byLength
    /// ```
    ///
    /// Add collations in `prepareDatabase`, and all connections of a pool have them.
    ///
    /// Statements under way keep the previous collation. When there are some, a collation is replaced once there is none:
    /// <https://sqlite.org/c3ref/create_collation.html>. A name that is empty or contains a NUL character, and a call
    /// outside of a database access, are reported to ``logError``; SQL that names the collation does not compile then.
    public func add(collation: DatabaseCollation) { hooks.functions.add(collation) }

    /// Removes a collation from the connection.
    ///
    /// ```swift
    /// db.remove(collation: byLength)
    /// // SELECT name FROM player ORDER BY name COLLATE byLength   → no such collation sequence: byLength
    /// ```
    ///
    /// Statements under way keep it. When there are some, the collation is removed once there is none.
    ///
    /// - Parameter collation: any collation with the name of the one to remove.
    public func remove(collation: DatabaseCollation) { hooks.functions.remove(collation) }
}
