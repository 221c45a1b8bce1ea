public import AmalgamCore

// Records decoded from the scopes of rows, such as those of to-one associations.

extension Row {
    /// Decodes the record of a to-one association, or of another scope of the row.
    ///
    /// ```swift
    /// let request = Player.including(required: Player.team)
    /// for row in try Row.fetchAll(db, request) {
    ///     let player = try Player(row: row)
    ///     let team = try row.decode(Team.self, forKey: "team")
    /// }
    /// ```
    ///
    /// - Parameter scope: the key of the association, or the name of a scope, which may be nested in another scope.
    /// - Throws: a ``RowDecodingError`` if there is no such scope; errors of the record.
    public func decode<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record {
        try withPart(named: scope) { part in
            guard let part else { throw partNotFound(scope) }
            return try Record(row: part)
        }
    }

    /// Decodes the record of a to-one association or other scope; nil if the scope is missing or contains only NULL.
    ///
    /// ```swift
    /// let request = Player.including(optional: Player.team)
    /// for row in try Row.fetchAll(db, request) {
    ///     let team = try row.decodeIfPresent(Team.self, forKey: "team")   // nil for a player without team
    /// }
    /// ```
    ///
    /// - Throws: errors of the record.
    public func decodeIfPresent<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record? {
        try withPart(named: scope) { part in
            guard let part, part.containsNonNullValue else { return nil }
            return try Record(row: part)
        }
    }

    /// The record of a to-one association, or of another scope of the row.
    ///
    /// ```swift
    /// let team: Team = row["team"]
    /// ```
    ///
    /// Traps if the scope is missing, or if the record can't be decoded. To get errors, use `decode(_:forKey:)`.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
        trapping(scope) { try decode(Record.self, forKey: scope) }
    }

    /// The record of a to-one association or other scope; nil if the scope is missing or contains only NULL.
    ///
    /// ```swift
    /// let team: Team? = row["team"]
    /// ```
    ///
    /// Traps if the record can't be decoded. To get errors, use ``decodeIfPresent(_:forKey:)``.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
        trapping(scope) { try decodeIfPresent(Record.self, forKey: scope) }
    }
}

// MARK: - Rows of to-many associations

extension Row {
    /// Decodes the records of a to-many association.
    ///
    /// ```swift
    /// let request = Team.including(all: Team.players)
    /// for row in try Row.fetchAll(db, request) {
    ///     let team = try Team(row: row)
    ///     let players = try row.decode([Player].self, forKey: "players")
    /// }
    /// ```
    ///
    /// - Parameter key: the key of the association.
    /// - Throws: a ``RowDecodingError`` if the request doesn't include the association; errors of the records.
    public func decode<Records: RangeReplaceableCollection>(
        _ type: Records.Type = Records.self, forKey key: String
    ) throws -> Records where Records.Element: FetchableRecord {
        Records(try records(forKey: key))
    }

    /// Decodes the records of a to-many association as a set.
    ///
    /// ```swift
    /// let players = try row.decode(Set<Player>.self, forKey: "players")
    /// ```
    ///
    /// - Throws: a ``RowDecodingError`` if the request doesn't include the association; errors of the records.
    public func decode<Record: FetchableRecord & Hashable>(
        _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
    ) throws -> Set<Record> {
        Set(try records(forKey: key))
    }

    /// The records of a to-many association.
    ///
    /// ```swift
    /// let players: [Player] = row["players"]
    /// ```
    ///
    /// Traps if the request doesn't include the association, or if a record can't be decoded.
    public subscript<Records: RangeReplaceableCollection>(_ key: String) -> Records
    where Records.Element: FetchableRecord {
        trapping(key) { try decode(Records.self, forKey: key) }
    }

    /// The records of a to-many association, as a set.
    ///
    /// Traps if the request doesn't include the association, or if a record can't be decoded.
    public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
        trapping(key) { try decode(Set<Record>.self, forKey: key) }
    }

    private func records<Record: FetchableRecord>(forKey key: String) throws -> [Record] {
        let rows = try prefetchedRowsOrThrow(forKey: key)
        return try (plans?.elements(forKey: key) ?? RowPlans()).decode(Record.self, rows)
    }
}

// MARK: - Errors

extension Row {
    private func prefetchedRowsOrThrow(forKey key: String) throws -> PrefetchedRows {
        if let rows = prefetchedRows(forKey: key) { return rows }
        let keys = prefetchedRows.keys.sorted()
        let available =
            keys.isEmpty
            ? "No available prefetched rows"
            : "Available keys for prefetched rows: [\(keys.joined(separator: ", "))]"
        throw keyNotFound(key, available)
    }

    private func partNotFound(_ scope: String) -> RowDecodingError {
        let names = scopesTree.names.sorted()
        let available = names.isEmpty ? "No available scopes" : "Available scopes: [\(names.joined(separator: ", "))]"
        return keyNotFound(scope, available)
    }

    private func keyNotFound(_ key: String, _ available: String) -> RowDecodingError {
        RowDecodingError(reason: "key not found: \"\(key)\". \(available)", context: decodingContext(index: nil))
    }

    private func trapping<T>(_ key: String, _ body: () throws -> T) -> T {
        do {
            return try body()
        } catch {
            fatalError("could not decode \(T.self) for the key \(key): \(error)")
        }
    }
}
