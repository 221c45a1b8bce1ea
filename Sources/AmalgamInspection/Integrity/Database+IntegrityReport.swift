public import AmalgamCore

extension Database {
    /// Checks the database for corruption, and says in words what is damaged and what to do.
    ///
    /// ```swift
    /// let report = try dbQueue.inDatabase { db in try db.integrityReport() }
    /// if report.isIntact {
    ///     print("all is well")
    /// } else if report.needsRecovery {
    ///     print("save the content:", report)
    /// } else {
    ///     try dbQueue.inDatabase { db in
    ///         for statement in report.repairStatements { try db.execute(sql: statement) }
    ///     }
    /// }
    /// ```
    ///
    /// The report has what ``integrityCheck(_:in:limit:)`` finds. On a connection that may write, it also compares each FTS5
    /// index whose content is another table with that table. For an index of a table, `REINDEX` is enough, and for a
    /// full-text index the command `rebuild`: their content is in the file twice. For damaged pages of a table, it isn't: see
    /// `DatabaseRecovery`.
    ///
    /// The check reads every page, which takes time, and can be interrupted like any statement.
    ///
    /// - Parameters:
    ///   - schemaName: the schema to check.
    ///   - limit: the maximum number of SQLite's messages.
    /// - Returns: The report. A file whose schema can't be read has a report as well.
    /// - Throws: `no such schema: x`; `SQLITE_MISUSE` if the limit is less than 1; `SQLITE_BUSY` if another connection
    ///   writes while a full-text index is compared; `SQLITE_INTERRUPT`; I/O errors.
    public func integrityReport(in schemaName: String = "main", limit: Int = 100) throws -> IntegrityReport {
        do {
            let name = try schemaID(schemaIndex(schemaName)).name
            let rows = try Row.fetchAll(
                self,
                sql: """
                    SELECT type, name, tbl_name, CAST(sql AS TEXT), rootpage
                    FROM \(name.quotedDatabaseIdentifier).sqlite_schema
                    WHERE typeof(type) = 'text' AND typeof(name) = 'text' AND typeof(tbl_name) = 'text'
                        AND typeof(rootpage) = 'integer'
                    """)
            let messages = IntegrityMessages(rows, schema: name)
            var problems = try messages.problems(integrityCheck(in: name, limit: limit))
            for table in try staleFullTextTables(name)
            where !problems.contains(where: { $0.subject == .fullTextIndex(table) }) {
                problems.append(
                    IntegrityReport.Problem(
                        subject: .fullTextIndex(table), remedy: messages.rebuild(table),
                        messages: ["\(table) doesn't match its content table"]))
            }
            return IntegrityReport(problems: problems)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            return IntegrityReport(problems: [
                IntegrityReport.Problem(
                    subject: .schema, remedy: .recovery, messages: [error.message ?? error.resultCode.description])
            ])
        }
    }

    /// Returns the FTS5 tables that don't match their content table. SQLite's check compares an index with itself only.
    private func staleFullTextTables(_ schema: String) throws -> [String] {
        if isReadOnlyAccess || isFileReadOnly(schema) != false { return [] }
        let tables = try String.fetchAll(
            self,
            sql: """
                SELECT name FROM \(schema.quotedDatabaseIdentifier).sqlite_schema
                WHERE type = 'table' AND typeof(name) = 'text' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%content%'
                """)
        return try tables.filter { table in
            let name = table.quotedDatabaseIdentifier
            do {
                try execute(
                    sql: """
                        INSERT INTO \(schema.quotedDatabaseIdentifier).\(name)(\(name), rank) VALUES ('integrity-check', 1)
                        """)
                return false
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                return true
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                // The content table or the tokenizer is missing: the index can't be compared.
                return false
            }
        }
    }
}
