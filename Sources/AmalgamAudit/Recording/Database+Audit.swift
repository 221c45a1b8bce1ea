public import AmalgamCore
public import AmalgamConcurrency

extension Configuration {
    /// Audits tables: a transaction that changes their rows also records each change in the ``AuditLog``.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.audit("player", .table("user", redacting: ["password"]))
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// The audit is enabled on all writing connections, which create the tables of the log if necessary. A later call
    /// adds rules, or replaces the rule for the same table.
    ///
    /// The closure that creates these tables runs in the order of `prepareDatabase(_:)`. In an encrypted database, add the
    /// closure that sets the pass phrase first. In the other order, the tables of the log are written to a new file
    /// in clear text, and opening the connection throws `SQLITE_MISUSE`.
    ///
    /// - Parameters:
    ///   - tables: the rules.
    ///   - requiringTables: whether opening a connection throws `SQLITE_ERROR` if a named table or column doesn't exist,
    ///     for example because its name is misspelt. Only useful if the schema exists before the connection is opened.
    public mutating func audit(_ tables: AuditLog.Table..., requiringTables: Bool = false) {
        prepareDatabase { db in try db.audit(tables, requiringTables: requiringTables) }
    }
}

extension DatabaseWriter {
    /// Audits tables from now on, until the connection is closed. See ``AuditLog``.
    ///
    /// ```swift
    /// try dbQueue.audit("player", "team")
    /// ```
    ///
    /// - Parameters:
    ///   - tables: the rules.
    ///   - requiringTables: whether a named table or column that doesn't exist is an error.
    /// - Throws: an error of creating the tables of the log; `SQLITE_ERROR` for a table or column that doesn't exist, with
    ///   `requiringTables`; `SQLITE_MISUSE` for a redacted column in a primary key.
    public func audit(_ tables: AuditLog.Table..., requiringTables: Bool = false) throws {
        try unsafeReentrantWrite { db in try db.audit(tables, requiringTables: requiringTables) }
    }
}

extension Database {
    /// Audits tables from now on, until the connection is closed. See ``AuditLog``.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.audit(.table("user", redacting: ["password"]))
    /// }
    /// ```
    ///
    /// The method creates the tables of the log if they don't exist. On a read-only connection, the method has no
    /// effect.
    ///
    /// - Parameters:
    ///   - tables: the rules.
    ///   - requiringTables: whether a named table or column that doesn't exist is an error.
    /// - Throws: an error of creating the tables of the log; `SQLITE_ERROR` for a table or column that doesn't exist, with
    ///   `requiringTables`; `SQLITE_MISUSE` for a redacted column in a primary key.
    public func audit(_ tables: AuditLog.Table..., requiringTables: Bool = false) throws {
        try audit(tables, requiringTables: requiringTables)
    }

    /// Audits tables from now on, until the connection is closed. See ``AuditLog``.
    ///
    /// ```swift
    /// let rules: [AuditLog.Table] = ["player", .table("team", columns: ["name"])]
    /// try db.audit(rules)
    /// ```
    ///
    /// - Parameters:
    ///   - tables: the rules.
    ///   - requiringTables: whether a named table or column that doesn't exist is an error.
    /// - Throws: an error of creating the tables of the log; `SQLITE_ERROR` for a table or column that doesn't exist, with
    ///   `requiringTables`; `SQLITE_MISUSE` for a redacted column in a primary key.
    public func audit(_ tables: [AuditLog.Table], requiringTables: Bool = false) throws {
        try checkAccess()
        if requiringTables { try tables.forEach { try $0.checkNames(self) } }
        try tables.forEach { try $0.checkRedaction(self) }
        if configuration.readonly || tables.isEmpty { return }
        let trail = try auditTrail ?? startAuditing()
        try trail.add(tables, at: transactionDate)
        if tables.contains(where: { !$0.redactedColumns.isEmpty }) { try RedactedColumnObserver.observe(self) }
        auditRecorder?.tablesDidChange()
        try prepareAuditLog(tables.compactMap(\.name?.spelling))
    }

    /// Stops auditing tables on this connection, or all tables if none is named. Recorded entries remain.
    ///
    /// ```swift
    /// try db.stopAuditing("player")
    /// ```
    ///
    /// A call with names removes only the rules for these names. If there is also a rule ``AuditLog/Table/everyTable``,
    /// this rule then applies to the tables, so they are still audited.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func stopAuditing(_ tables: String...) throws {
        try checkAccess()
        guard let auditTrail else { return }
        auditTrail.remove(tables)
        if tables.isEmpty || auditTrail.rules.isEmpty {
            auditRecorder?.stop()
            rowRecorder = nil
        } else {
            auditRecorder?.tablesDidChange()
        }
    }

    /// Runs a closure, and records an actor and a reason with the changes that the closure makes.
    ///
    /// ```swift
    /// try db.auditing(as: "user:42", reason: "import") {
    ///     try player.update(db)
    /// }
    /// ```
    ///
    /// Calls can be nested: an argument that is nil in an inner call has the value of the outer call. Without any call,
    /// ``AuditLog/Entry/actor`` and ``AuditLog/Entry/reason`` are nil. If the audit is disabled, the closure just runs.
    ///
    /// - Throws: the error of the closure.
    public func auditing<T>(
        as actor: String? = nil, reason: String? = nil, _ body: () throws -> T
    ) rethrows -> T {
        guard let auditRecorder else { return try body() }
        return try auditRecorder.within(actor, reason, body)
    }

    private var auditTrail: AuditTrail? { auditRecorder?.trail }

    private func startAuditing() throws -> AuditTrail {
        let trail = AuditTrail()
        rowRecorder = try RowRecorder(self, trail)
        return trail
    }

    /// Creates the tables of the log, and registers the audited tables in the log. If the log already contains all of
    /// them, the method only reads, and acquires no write lock.
    private func prepareAuditLog(_ tableNames: [String]) throws {
        let isThere = try AuditSchema.exists(self)
        let newNames = try tableNames.compactMap { name -> String? in
            guard let name = try schemaName(of: name) else { return nil }
            return try isThere && AuditSchema.existingTableID(self, name) != nil ? nil : name
        }
        if isThere && newNames.isEmpty { return }
        try inSavepoint {
            try AuditSchema.create(self)
            for name in newNames { _ = try AuditSchema.tableID(self, name) }
            return .commit
        }
    }

    /// The name of a table as the schema spells it; nil if the table doesn't exist.
    private func schemaName(of table: String) throws -> String? {
        guard try tableExists(table, in: "main") else { return nil }
        return try self.table(table, in: "main").name
    }
}
