import AmalgamCore

/// Facts about the columns that records of one type encode: which of them belong to the primary key, their positions in
/// the ``PersistenceContainer``, their spelling in the table, and the SQL of UPDATE, DELETE and `exists`.
///
/// A shape is valid for one state of the schema, and for records that encode the same columns in the same order.
final class RecordShape {
    let primaryKey: PrimaryKeyInfo

    /// The encoded columns.
    private let columns: [String]

    private let tableName: String

    /// The positions of the primary key's columns among the encoded columns; nil for a column that isn't encoded.
    private let keyPositions: [Int?]

    /// The positions of the columns outside the primary key.
    private let otherPositions: [Int]

    /// The encoded columns, in the table's spelling.
    private let names: [String]

    /// The set of encoded columns, which callbacks receive.
    let columnSet: Set<String>

    private struct Update: Hashable {
        var positions: [Int]
        var conflictResolution: Database.ConflictResolution?
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

    /// Returns whether this shape is valid for records with these columns. The schema cache returns the same array of
    /// primary key columns until the schema changes. Therefore, an array at a different address shows that the schema
    /// has changed.
    func isShape(of columns: [String], _ primaryKey: PrimaryKeyInfo) -> Bool {
        self.primaryKey.columns.isSame(as: primaryKey.columns) && self.columns == columns
    }

    // MARK: Primary key

    /// The values of the primary key; nil if a column is missing or NULL, because such a key identifies no row.
    func keyValues(_ container: PersistenceContainer) -> [StoredValue]? {
        var values: [StoredValue] = []
        values.reserveCapacity(keyPositions.count)
        for position in keyPositions {
            guard let position, !container.values[position].isNull else { return nil }
            values.append(container.values[position])
        }
        return values
    }

    /// The error thrown if no row has the record's primary key.
    func notFound(_ container: PersistenceContainer) -> RecordError {
        let values = keyPositions.map { $0.map(container.databaseValue(at:)) ?? .null }
        return .recordNotFound(
            databaseTableName: tableName,
            key: Dictionary(zip(primaryKey.columns, values), uniquingKeysWith: { first, _ in first }))
    }

    /// The condition on the primary key: `"id"=?`.
    private var condition: String {
        primaryKey.columns.map { "\($0.quotedDatabaseIdentifier)=?" }.joined(separator: " AND ")
    }

    /// The DELETE statement: `DELETE FROM "player" WHERE "id"=?`.
    private(set) lazy var deleteSQL = "DELETE FROM \(tableName.quotedDatabaseIdentifier) WHERE \(condition)"

    /// The statement of `exists`: `SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=?)`.
    private(set) lazy var existsSQL =
        "SELECT EXISTS (SELECT 1 FROM \(tableName.quotedDatabaseIdentifier) WHERE \(condition))"

    // MARK: UPDATE

    /// Returns the UPDATE statement of an encoded record: `UPDATE "player" SET "name"=?, "score"=? WHERE "id"=?`.
    /// Returns nil if the record has no primary key value.
    ///
    /// - Parameter updated: the case-insensitive names of the columns to update; nil for all columns. Columns of the
    ///   primary key aren't updated. If no other column remains, the statement sets the key to itself, so that
    ///   observers are notified, and a missing row is an error.
    func update(
        _ container: PersistenceContainer, _ updated: [String]?, _ conflictResolution: Database.ConflictResolution?
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
        // A large table has many combinations of updated columns, so that the cache is bounded.
        if updates.count == 64 { updates.removeAll() }
        updates[update] = sql
        return sql
    }
}

extension Array {
    /// Whether two arrays share their storage, which implies equality.
    func isSame(as other: [Element]) -> Bool {
        count == other.count
            && withUnsafeBufferPointer { array in
                other.withUnsafeBufferPointer { array.baseAddress == $0.baseAddress }
            }
    }
}
