import Amalgam

/// A record of the table `player`.
private struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var team: DatabaseValue
    var name: DatabaseValue

    static let databaseTableName = "player"

    enum CodingKeys: String, CodingKey { case id, team, name }

    init(_ values: [Value]) {
        if case .integer(let id) = values[0] { self.id = id }
        (team, name) = (values[1].databaseValue, values[2].databaseValue)
    }

    init(row: Row) { (id, team, name) = (row["id"], row["team"], row["name"]) }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["team"] = team
        container["name"] = name
    }

    init(from decoder: any Decoder) throws { fatalError("players are decoded from rows") }
    func encode(to encoder: any Encoder) throws { fatalError("players are encoded to columns") }
}

extension Statement {
    /// Runs the statement.
    ///
    /// - Returns: the rows of the `RETURNING` clause; nil if there is none.
    func run(_ db: Database) throws -> [[Value]]? {
        if form == .request, try request(db) { return nil }
        var arguments: [Value]? = form == .literals ? nil : []
        let sql = sql(arguments: &arguments)
        let values = StatementArguments(arguments ?? [])
        if isReturning { return try Row.fetchAll(db, sql: sql, arguments: values).map(Value.list) }
        try db.execute(sql: sql, arguments: values)
        return nil
    }

    /// The form in which the statement runs: SQL with arguments if it has none as a request.
    var effectiveForm: Form { form != .request || hasRequest ? form : .arguments }

    private var hasRequest: Bool {
        if isReturning || spec.columns.contains(where: { $0.domain == .jsonb }) { return false }
        switch change {
        case .insert: return isRecord
        case .upsert: return false
        case .delete(let condition): return request(condition) != nil
        case .update(let assignments, let condition):
            return request(condition) != nil
                && assignments.allSatisfy { if case .value = $0.term { true } else { false } }
        }
    }

    /// Whether the statement inserts one record.
    private var isRecord: Bool {
        guard case .insert(let rows) = change else { return false }
        return table == "player" && rows.count == 1 && rows[0].rowID == nil
    }

    /// Runs the statement as a request or by a record, if it has such a form.
    private func request(_ db: Database) throws -> Bool {
        if !hasRequest { return false }
        let resolution = conflict.flatMap { Database.ConflictResolution(rawValue: $0.rawValue) }
        switch change {
        case .insert(let rows):
            guard isRecord else { return false }
            var player = Player(rows[0].values)
            try player.insert(db, onConflict: resolution)
        case .upsert: return false
        case .delete(let condition):
            guard let request = request(condition) else { return false }
            try request.deleteAll(db)
        case .update(let assignments, let condition):
            guard let request = request(condition) else { return false }
            var list: [ColumnAssignment] = []
            for assignment in assignments {
                guard case .value(let value) = assignment.term else { return false }
                list.append(column(assignment.column).set(to: value.databaseValue))
            }
            try request.updateAll(db, onConflict: resolution, list)
        }
        return true
    }

    private func column(_ index: Int) -> Column { Column(spec.columns[index].name) }

    private func request(_ condition: Condition) -> QueryInterfaceRequest<Row>? {
        switch condition {
        case .all: Table(table).all()
        case .equals(let index, let value):
            value.isNull ? nil : Table(table).filter(column(index) == value.databaseValue)
        case .rowID(let rowID): Table(table).filter(Column.rowID == rowID)
        case .scan: nil
        }
    }
}
