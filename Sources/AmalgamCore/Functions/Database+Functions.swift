extension Database {
    /// Adds a function to the connection, or puts it in the place of the one with the same name and number of
    /// arguments.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     db.add(function: DatabaseFunction("double", pure: true) { (x: Int) in 2 * x })
    /// }
    /// // SELECT double(21)   → 42
    /// ```
    ///
    /// Add functions in `prepareDatabase`, and all connections of a pool have them.
    ///
    /// The function can be called at once, also by a function that is running. Where SQLite would call the new function
    /// otherwise than the previous one, as an aggregate and not as a function of one row, or with other options, it
    /// waits until no statement runs on the connection any more: <https://sqlite.org/c3ref/create_function.html>.
    ///
    /// A function that SQLite cannot add is reported to ``logError``, and SQL that calls it does not compile: its name
    /// is empty, longer than 255 bytes or contains a NUL character, or its number of arguments is not in 0...1000. So is
    /// a call outside of a database access.
    public func add(function: DatabaseFunction) { hooks.functions.add(function) }

    /// Removes a function from the connection.
    ///
    /// ```swift
    /// db.remove(function: double)
    /// // SELECT double(21)   → no such function: double
    /// ```
    ///
    /// A function of SQLite that it has hidden stays hidden. Statements under way still call it. When there are some, the function is removed once there is none.
    ///
    /// - Parameter function: any function with the name and number of arguments of the one to remove.
    public func remove(function: DatabaseFunction) { hooks.functions.remove(function) }

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

    /// Registers an object that SQLite knows by its name. What SQLite refuses is reported to ``logError``; what memory is
    /// missing for is made up for when the connection is used next.
    ///
    /// - Parameters:
    ///   - kind: the kind of the object, for the log.
    ///   - body: returns SQLite's code. It may run several times.
    package func register(_ kind: String, named name: String, _ body: @escaping (SQLiteConnection) -> CInt) {
        hooks.functions.register(kind, named: name, body)
    }
}
