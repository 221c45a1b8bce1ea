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
}
