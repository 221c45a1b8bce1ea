import AmalgamCore

/// Where the columns of a record are in its table: which ones are the key, and how they are spelled there.
///
/// It holds for one state of the schema, and for records that encode the same columns.
final class RecordShape {
    let primaryKey: PrimaryKeyInfo

    /// The encoded columns.
    private let columns: [String]

    private let tableName: String

    /// The positions of the columns of the key among the encoded ones; nil for those that are not encoded.
    private let keyPositions: [Int?]

    /// The positions of the other columns.
    private let otherPositions: [Int]

    /// The encoded columns, as the table spells them.
    private let names: [String]

    /// The encoded columns, for callbacks.
    let columnSet: Set<String>

    private struct Update: Hashable {
        var positions: [Int]
        var conflictResolution: Database.ConflictResolution
    }

    private var updates: [Update: String] = [:]

    init(_ db: Database, _ tableName: String, _ columns: [String], _ primaryKey: PrimaryKeyInfo) throws {
        self.tableName = tableName
        self.columns = columns
        self.primaryKey = primaryKey
        columnSet = Set(columns)
        let spellings = Dictionary(
            try db.columns(in: tableName).map { (TableName($0.name), $0.name) }, uniquingKeysWith: { first, _ in first }
        )
        names = columns.map { spellings[TableName($0)] ?? $0 }
        keyPositions = primaryKey.columns.map { key in columns.firstIndex { $0.equalsIgnoringCase(key) } }
        let keys = Set(keyPositions)
        otherPositions = columns.indices.filter { !keys.contains($0) }
    }

    /// Whether this is the shape of records with these columns. The schema gives the same array as long as it does not
    /// change.
    func isShape(of columns: [String], _ primaryKey: PrimaryKeyInfo) -> Bool {
        self.primaryKey.columns.isSame(as: primaryKey.columns) && self.columns == columns
    }

    // MARK: The key

    /// The values of the key; nil when one is NULL: the key of no row.
    func keyValues(_ container: PersistenceContainer) -> [StoredValue]? {
        var values: [StoredValue] = []
        values.reserveCapacity(keyPositions.count)
        for position in keyPositions {
            guard let position, !container.values[position].isNull else { return nil }
            values.append(container.values[position])
        }
        return values
    }

    /// The error of a row that is not there.
    func notFound(_ container: PersistenceContainer) -> RecordError {
        let values = keyPositions.map { $0.map(container.databaseValue(at:)) ?? .null }
        return .recordNotFound(
            databaseTableName: tableName,
            key: Dictionary(zip(primaryKey.columns, values), uniquingKeysWith: { first, _ in first }))
    }

    /// `"id"=?`
    private var condition: String {
        primaryKey.columns.map { "\($0.quotedDatabaseIdentifier)=?" }.joined(separator: " AND ")
    }

    /// `DELETE FROM "player" WHERE "id"=?`
    private(set) lazy var deleteSQL = "DELETE FROM \(tableName.quotedDatabaseIdentifier) WHERE \(condition)"

    /// `SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=?)`
    private(set) lazy var existsSQL =
        "SELECT EXISTS (SELECT 1 FROM \(tableName.quotedDatabaseIdentifier) WHERE \(condition))"

    // MARK: UPDATE

    /// `UPDATE "player" SET "name"=?, "score"=? WHERE "id"=?`; nil for a record without key.
    ///
    /// - Parameter updated: the columns to update, in any case; nil for all of them. Without any, the key is set to itself:
    ///   the row must be there all the same, and observers are told.
    func update(
        _ container: PersistenceContainer, _ updated: [String]?, _ conflictResolution: Database.ConflictResolution
    ) -> RecordStatement? {
        guard let key = keyValues(container) else { return nil }
        var positions = updated.map(positions(of:)) ?? otherPositions
        if positions.isEmpty { positions = keyPositions.compactMap(\.self) }
        let values = positions.map { container.values[$0] } + key
        return RecordStatement(
            sql: updateSQL(Update(positions: positions, conflictResolution: conflictResolution)),
            arguments: StatementArguments(values))
    }

    private func positions(of updated: [String]) -> [Int] {
        otherPositions.filter { position in updated.contains { $0.equalsIgnoringCase(columns[position]) } }
    }

    private func updateSQL(_ update: Update) -> String {
        if let sql = updates[update] { return sql }
        let assignments = update.positions.map { "\(names[$0].quotedDatabaseIdentifier)=?" }.joined(separator: ", ")
        let table = tableName.quotedDatabaseIdentifier
        let sql = "UPDATE\(update.conflictResolution.clause) \(table) SET \(assignments) WHERE \(condition)"
        // There are many ways to update some columns of a large table.
        if updates.count == 64 { updates.removeAll() }
        updates[update] = sql
        return sql
    }
}

extension Array {
    /// Whether two arrays share their memory, and are equal for that reason.
    func isSame(as other: [Element]) -> Bool {
        count == other.count
            && withUnsafeBufferPointer { array in
                other.withUnsafeBufferPointer { array.baseAddress == $0.baseAddress }
            }
    }
}
