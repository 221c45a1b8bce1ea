public import AmalgamCore
import AmalgamSandbox

// A key of any type is disfavoured: the compiler would try the closure of `filter { … }` there first, with each overload
// of each operator in it, and take half a second for a condition of one line.

extension TableRequest where Self: FilteredRequest & TypedRequest {
    /// The row with a primary key.
    ///
    /// ```swift
    /// Player.all().filter(key: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// NULL is the key of no row. Fetching throws `SQLITE_MISUSE` when the primary key has several columns.
    @_disfavoredOverload
    public func filter(key: some DatabaseValueConvertible) -> Self { filter(keys: CollectionOfOne(key)) }

    /// The rows with these primary keys.
    ///
    /// ```swift
    /// Player.all().filter(keys: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// Any number of keys is fine. More of them than a statement has parameters are one argument, an array.
    public func filter<Keys>(keys: Keys) -> Self
    where Keys: Collection, Keys.Element: DatabaseValueConvertible {
        let values = keys.map { KeyValue($0) }
        return filter(KeyFilter(tableName: databaseTableName, RowDecoder.self)) { try $0.condition($1, values: values) }
    }

    /// The row with a primary or unique key, by the names of its columns. No row when the key is nil.
    ///
    /// ```swift
    /// Citizenship.all().filter(key: ["citizenId": 1, "countryCode": "FR"])
    /// // SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
    /// ```
    ///
    /// Fetching throws `SQLITE_MISUSE` when the table has no primary key and no unique index on these columns. The unique index
    /// must hold all rows: a partial one doesn't count.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
        key.map { filter(keys: [$0]) } ?? none()
    }

    /// The rows with these primary or unique keys, by the names of their columns.
    ///
    /// ```swift
    /// Player.all().filter(keys: [["email": "anna@example.com"], ["email": "bob@example.com"]])
    /// // SELECT * FROM "player" WHERE ("email" = 'anna@example.com') OR ("email" = 'bob@example.com')
    /// ```
    ///
    /// Any number of keys is fine. More of them than SQLite's limit for the depth of an expression allows are written
    /// `"email" IN (…)`, or `("citizenId", "countryCode") IN (…)`.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
        if keys.isEmpty { return none() }
        let keys = keys.map { $0.mapValues { $0.map { KeyValue($0) } } }
        return filter(KeyFilter(tableName: databaseTableName, RowDecoder.self)) { try $0.condition($1, keys: keys) }
    }

    private func filter(
        _ filter: KeyFilter, _ condition: @escaping @Sendable (KeyFilter, Database) throws -> SQLExpression
    ) -> Self {
        filterWhenConnected { db in try condition(filter, db) }
    }
}

extension TableRequest where Self: FilteredRequest & TypedRequest, RowDecoder: Identifiable {
    /// The row of a record, by its identifier.
    ///
    /// ```swift
    /// Player.all().filter(id: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    public func filter(id: RowDecoder.ID) -> Self where RowDecoder.ID: DatabaseValueConvertible {
        filter(key: id)
    }

    /// The rows of records, by their identifiers.
    public func filter<IDS>(ids: IDS) -> Self
    where IDS: Collection, IDS.Element == RowDecoder.ID, RowDecoder.ID: DatabaseValueConvertible {
        filter(keys: ids)
    }
}

/// A value of a key: as it would be stored by default, and as it is for records that store it otherwise.
struct KeyValue: Sendable {
    let encode: @Sendable ((any _DatabaseKeyEncoder.Type)?, String) -> DatabaseValue

    init(_ value: some DatabaseValueConvertible) {
        let databaseValue = value.databaseValue
        // Values of any type can be keys, also those of types that are not Sendable. They are encoded here, for no
        // column in particular, unless they are of the types that strategies are about.
        switch value {
        case let value as any DatabaseValueConvertible & Sendable:
            encode = { encoder, column in encoder?._databaseKey(value, forColumn: column) ?? databaseValue }
        default:
            encode = { _, _ in databaseValue }
        }
    }
}

/// A condition on the keys of a table.
struct KeyFilter: Sendable {
    private let tableName: String
    private let encoder: (any _DatabaseKeyEncoder.Type)?

    init<RowDecoder>(tableName: String, _ type: RowDecoder.Type) {
        self.tableName = tableName
        encoder = RowDecoder.self as? any _DatabaseKeyEncoder.Type
    }

    /// `"id" = 1`, `"id" IN (1, 2)`; `0` for no key.
    func condition(_ db: Database, values: [KeyValue]) throws -> SQLExpression {
        let columns = try db.primaryKey(tableName).columns
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Filtering by primary key requires a single-column primary key in the table '\(tableName)'. \
                    Use a dictionary of columns and values.
                    """)
        }
        return values.map { $0.encode(encoder, columns[0]) }.filter { !$0.isNull }.contains(Column(columns[0]))
    }

    /// `("a" = 1) AND ("b" = 2)`, for each key, in the order of the key or of the table.
    ///
    /// Alternatives are nested in SQLite's tree of an expression. So many of them are an IN operator.
    func condition(_ db: Database, keys: [[String: KeyValue?]]) throws -> SQLExpression {
        let keys = try columnValues(db, keys)
        if try keys.count > db.limit(.expressionDepth) / 2 { return ColumnValues.condition(keys) }
        return keys.map { key in
            zip(key.columns, key.values).map { Column($0) == $1 }.joined(operator: .and)
        }
        .joined(operator: .or)
    }

    /// The columns and values of keys, in the order of the key or of the table.
    private func columnValues(_ db: Database, _ keys: [[String: KeyValue?]]) throws -> [ColumnValues] {
        let order = try columnOrder(db)
        var checkedKeys: Set<Set<String>> = []
        return try keys.map { key in
            if checkedKeys.insert(Set(key.keys)).inserted { try check(Array(key.keys), db) }
            let pairs = key.sorted {
                order[TableName($0.key), default: .max] < order[TableName($1.key), default: .max]
            }
            return ColumnValues(
                columns: pairs.map(\.key), values: pairs.map { $0.value?.encode(encoder, $0.key) ?? .null })
        }
    }

    private func columnOrder(_ db: Database) throws -> [TableName: Int] {
        let keyColumns = try db.primaryKeyIfKnown(tableName)?.columns ?? []
        let columns = try keyColumns + db.columns(in: tableName).map(\.name)
        return Dictionary(
            columns.enumerated().map { (TableName($0.element), $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the columns tell rows apart, by an index or by what the schema source says of a view.
    private func hasUniqueKey(_ columns: [String], _ db: Database) throws -> Bool {
        if try db.viewExists(tableName) {
            guard let primaryKey = try db.primaryKeyIfKnown(tableName) else { return false }
            return Set(primaryKey.columns.map(TableName.init)).isSubset(of: columns.map(TableName.init))
        }
        return try db.table(tableName, hasUniqueKey: columns)
    }

    private func check(_ columns: [String], _ db: Database) throws {
        if try hasUniqueKey(columns, db) { return }
        let kind = try db.viewExists(tableName) ? "database view" : "table"
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                \(kind) \(tableName) has no unique key on column(s) \(columns.sorted().joined(separator: ", "))
                """)
    }
}

/// The values of a key.
private struct ColumnValues {
    var columns: [String]
    var values: [DatabaseValue]

    /// What two keys have in common that one IN operator serves: the columns, and those of them that are NULL.
    private struct Shape: Hashable {
        var columns: [String] = []
        var nullColumns: [String] = []
    }

    private var shape: Shape {
        var shape = Shape()
        for (column, value) in zip(columns, values) {
            if value.isNull { shape.nullColumns.append(column) } else { shape.columns.append(column) }
        }
        return shape
    }

    /// `("a", "b") IN (VALUES (1, 2), (3, 4))`, for each set of columns. NULL is asked for by itself.
    static func condition(_ keys: [ColumnValues]) -> SQLExpression {
        var shapes: [Shape] = []
        var rows: [Shape: [[DatabaseValue]]] = [:]
        for key in keys {
            let shape = key.shape
            if rows[shape] == nil { shapes.append(shape) }
            rows[shape, default: []].append(key.values.filter { !$0.isNull })
        }
        return shapes.map { shape in
            var conditions: [SQLExpression] = shape.nullColumns.map { Column($0) == nil }
            if !shape.columns.isEmpty {
                conditions.append(
                    SQLRowValue(shape.columns.map { Column($0) as any SQLExpressible }).isIn(rows[shape] ?? []))
            }
            return conditions.joined(operator: .and)
        }
        .joined(operator: .or)
    }
}

extension SQLRowValue {
    fileprivate func isIn(_ rows: [[DatabaseValue]]) -> SQLExpression {
        rows.map { row in SQLRowValue(row.map { $0 as any SQLExpressible }) }.contains(self)
    }
}
