public import AmalgamCore
public import AmalgamConcurrency

extension Configuration {
    /// Audits tables: each change of their rows is recorded in an ``AuditLog``, by the transaction that makes it.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.audit("player", .table("user", redacting: ["password"]))
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// It prepares connections that write, which create the tables of the log where they are missing. A later call adds
    /// tables, or replaces what was said of a table.
    public mutating func audit(_ tables: AuditLog.Table...) {
        prepareDatabase { db in try db.audit(tables) }
    }
}

extension DatabaseWriter {
    /// Audits tables, from now on and until the connection is closed: see ``AuditLog``.
    ///
    /// ```swift
    /// try dbQueue.audit("player", "team")
    /// ```
    ///
    /// - throws: errors of creating the tables of the log.
    public func audit(_ tables: AuditLog.Table...) throws {
        try unsafeReentrantWrite { db in try db.audit(tables) }
    }
}

extension Database {
    /// Audits tables, from now on and until the connection is closed: see ``AuditLog``.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.audit(.table("user", redacting: ["password"]))
    /// }
    /// ```
    ///
    /// It has no effect on a read-only connection. The tables of the log are created where they are missing.
    ///
    /// - throws: errors of creating the tables of the log.
    public func audit(_ tables: AuditLog.Table...) throws {
        try audit(tables)
    }

    /// Audits tables, from now on and until the connection is closed: see ``AuditLog``.
    ///
    /// - throws: errors of creating the tables of the log.
    public func audit(_ tables: [AuditLog.Table]) throws {
        try checkAccess()
        if configuration.readonly || tables.isEmpty { return }
        let trail = try auditTrail ?? startAuditing()
        trail.add(tables)
        auditRecorder?.tablesDidChange()
        try prepareAuditLog(tables.compactMap(\.name))
    }

    /// Ends the audit of tables on this connection; of all of them when none is named. What was recorded stays.
    ///
    /// ```swift
    /// try db.stopAuditing("player")
    /// ```
    ///
    /// Tables that are audited by ``AuditLog/Table/everyTable`` go on being audited when one is named.
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

    /// Runs a closure on behalf of somebody: the entries of what it changes say who, and why.
    ///
    /// ```swift
    /// try db.auditing(as: "user:42", reason: "import") {
    ///     try player.update(db)
    /// }
    /// ```
    ///
    /// It can be nested: what an inner call does not say is as the outer one says. Without any, ``AuditLog/Entry/actor``
    /// and ``AuditLog/Entry/reason`` are nil. Where nothing is audited, it runs the closure.
    ///
    /// - throws: the error of the closure.
    public func auditing<T>(
        as actor: String? = nil, reason: String? = nil, _ body: () throws -> T
    ) rethrows -> T {
        guard let auditTrail else { return try body() }
        return try auditTrail.within(actor, reason, body)
    }

    private var auditTrail: AuditTrail? { auditRecorder?.trail }

    private func startAuditing() throws -> AuditTrail {
        let trail = AuditTrail()
        rowRecorder = try RowRecorder(self, trail)
        return trail
    }

    /// Nothing is written, and no lock is taken, when everything is there.
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

    /// The spelling of the schema; nil when there is no such table yet.
    private func schemaName(of table: String) throws -> String? {
        guard try tableExists(table, in: "main") else { return nil }
        return try self.table(table, in: "main").name
    }
}
