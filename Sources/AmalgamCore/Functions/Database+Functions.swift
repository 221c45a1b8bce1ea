extension Database {
    /// Adds a function to the connection. It replaces the function with the same name and number of arguments, if any.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(function: DatabaseFunction("double", pure: true) { (x: Int) in 2 * x })
    /// }
    /// // SELECT double(21)   → 42
    /// ```
    ///
    /// Add functions in `prepareDatabase`, so that all connections of a pool have them.
    ///
    /// A function with a new name or number of arguments is available immediately, even to statements that a running
    /// function executes. A replacement is immediate if both functions were created in the same way (with typed
    /// parameters, with an array, as an aggregate, or as a window function), with the same `pure` and options. Any
    /// other replacement is deferred until no statement runs on the connection:
    /// <https://sqlite.org/c3ref/create_function.html>.
    ///
    /// The function isn't added in the cases below. The failure is reported to ``logError``, and statements that call
    /// the function don't compile:
    ///
    /// - The method is called outside of a database access.
    /// - The name is empty, is longer than 255 bytes, or contains a NUL character.
    /// - The number of arguments isn't in 0...1000.
    public func add(function: DatabaseFunction) { hooks.functions.add(function) }

    /// Removes a function from the connection.
    ///
    /// ```swift
    /// let double = DatabaseFunction("double", pure: true) { (x: Int) in 2 * x }
    /// db.remove(function: double)
    /// // SELECT double(21)   → no such function: double
    /// ```
    ///
    /// If the function has replaced a built-in function of SQLite, the built-in function stays unavailable. While a
    /// statement runs on the connection, the removal is deferred until no statement runs.
    ///
    /// - Parameter function: a function with the name and number of arguments of the one to remove.
    public func remove(function: DatabaseFunction) { hooks.functions.remove(function) }

    /// Adds a collation to the connection. It replaces the collation with the same name, if any.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(collation: DatabaseCollation("byLength") { lhs, rhs in
    ///         lhs.count < rhs.count ? .orderedAscending : lhs.count > rhs.count ? .orderedDescending : .orderedSame
    ///     })
    /// }
    /// // SELECT name FROM player ORDER BY name COLLATE byLength
    /// ```
    ///
    /// Add collations in `prepareDatabase`, so that all connections of a pool have them.
    ///
    /// While a statement runs on the connection, a replacement is deferred until no statement runs:
    /// <https://sqlite.org/c3ref/create_collation.html>.
    ///
    /// The collation isn't added outside of a database access, or if its name is empty or contains a NUL character.
    /// This failure is reported to ``logError``, and statements that name the collation don't compile.
    public func add(collation: DatabaseCollation) { hooks.functions.add(collation) }

    /// Removes a collation from the connection.
    ///
    /// ```swift
    /// db.remove(collation: byLength)
    /// // SELECT name FROM player ORDER BY name COLLATE byLength   → no such collation sequence: byLength
    /// ```
    ///
    /// While a statement runs on the connection, the removal is deferred until no statement runs.
    ///
    /// - Parameter collation: a collation with the name of the one to remove.
    public func remove(collation: DatabaseCollation) { hooks.functions.remove(collation) }

    /// Registers an object that SQLite finds by its name, such as a tokenizer. Errors are reported to ``logError``. If
    /// SQLite returns `SQLITE_BUSY` or `SQLITE_NOMEM`, the registration is deferred, and attempted again later.
    ///
    /// - Parameters:
    ///   - kind: the kind of the object, for the log.
    ///   - body: registers the object, and returns SQLite's result code. It may run several times.
    package func register(_ kind: String, named name: String, _ body: @escaping (SQLiteConnection) -> CInt) {
        hooks.functions.register(kind, named: name, body)
    }
}
