import Amalgam

extension Query {
    /// Fetches the rows of the result, sorted.
    func fetch(_ db: Database) throws -> [String] {
        let rows: [Row]
        if case .requested(let table, let column, let value) = self {
            let name = Schema.table(table).columns[column].name
            rows = try Table(table).filter(Column(name) == value.databaseValue).fetchAll(db)
        } else {
            rows = try Row.fetchAll(db, sql: sql)
        }
        return rows.map { "\(Value.list($0))" }.sorted()
    }
}

extension Model {
    /// Reads a model from a database.
    init(_ db: Database) throws {
        self.init()
        for table in Schema.tables {
            let rowID = table.isWithoutRowID ? "0" : "rowid"
            let columns = table.isContentless ? "" : ", *"
            let order = table.isWithoutRowID ? "" : " ORDER BY rowid"
            let rows = try Amalgam.Row.fetchAll(db, sql: "SELECT \(rowID)\(columns) FROM \(table.name)\(order)")
            tables[table.name]!.rows = rows.map {
                let values = Value.list($0)
                guard case .integer(let rowID) = values[0] else { return Row(rowID: 0, values: []) }
                return Row(rowID: rowID, values: Array(values[1...]))
            }
            if table.isWithoutRowID { tables[table.name]!.rows.sort(by: table.precedes) }
        }
    }
}
