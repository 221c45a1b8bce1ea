public import AmalgamCore
import AmalgamSandbox

// The keys have existential types, to which no closure can be passed. With generic types, the compiler would also try
// these methods for `filter { $0.score > 10 }`, with each overload of each operator in the closure. It would give up on
// a wrong condition after seconds, without a useful error message.

extension TableRequest where Self: FilteredRequest & TypedRequest {
    /// Restricts the request to the row with the given primary key.
    ///
    /// ```swift
    /// Player.all().filter(key: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    ///
    /// If the key is NULL, the request fetches no row. Fetching throws `SQLITE_MISUSE` if the primary key has several
    /// columns.
    @_disfavoredOverload
    public func filter(key: any DatabaseValueConvertible) -> Self { filter([KeyValue(key)]) }

    /// Restricts the request to the rows with the given primary keys.
    ///
    /// ```swift
    /// Player.all().filter(keys: [1, 2, 3])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// ```
    ///
    /// Any number of keys is allowed. If there are more keys than the statement has free parameters (SQLite's limit is
    /// 32,766), the keys are bound as one array: `"id" IN (SELECT +value FROM carray(?))`. Fetching throws
    /// `SQLITE_MISUSE` if the primary key has several columns.
    public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>) -> Self {
        filter(keys.map { KeyValue($0) })
    }

    /// Restricts the request to the row with the given primary or unique key. The dictionary maps the columns of the
    /// key to values.
    ///
    /// ```swift
    /// Citizenship.all().filter(key: ["citizenId": 1, "countryCode": "FR"])
    /// // SELECT * FROM "citizenship" WHERE ("citizenId" = 1) AND ("countryCode" = 'FR')
    /// ```
    ///
    /// If the dictionary is nil, the request fetches no row. Fetching throws `SQLITE_MISUSE` unless the dictionary
    /// contains all columns of the primary key or of a unique index. A partial unique index doesn't count.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
        key.map { filter(keys: [$0]) } ?? none()
    }

    /// Restricts the request to the rows with the given primary or unique keys. Each dictionary maps the columns of a
    /// key to values.
    ///
    /// ```swift
    /// Player.all().filter(keys: [["email": "anna@example.com"], ["email": "bob@example.com"]])
    /// // SELECT * FROM "player" WHERE ("email" = 'anna@example.com') OR ("email" = 'bob@example.com')
    /// ```
    ///
    /// Any number of keys is allowed. SQLite limits the depth of an expression with `OR`. Therefore, the condition for
    /// many keys is written `"email" IN (…)`, or `("citizenId", "countryCode") IN (…)`.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
        if keys.isEmpty { return none() }
        let keys = keys.map { $0.mapValues { $0.map { KeyValue($0) } } }
        return filter(KeyFilter(tableName: databaseTableName, RowDecoder.self)) { try $0.condition($1, keys: keys) }
    }

    private func filter(_ values: [KeyValue]) -> Self {
        filter(KeyFilter(tableName: databaseTableName, RowDecoder.self)) { try $0.condition($1, values: values) }
    }

    private func filter(
        _ filter: KeyFilter, _ condition: @escaping @Sendable (KeyFilter, Database) throws -> SQLExpression
    ) -> Self {
        filterWhenConnected { db in try condition(filter, db) }
    }
}

extension TableRequest where Self: FilteredRequest & TypedRequest, RowDecoder: Identifiable {
    /// Restricts the request to the row with the given identifier, which is the primary key.
    ///
    /// ```swift
    /// Player.all().filter(id: 1)
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// ```
    public func filter(id: RowDecoder.ID) -> Self where RowDecoder.ID: DatabaseValueConvertible {
        filter(key: id)
    }

    /// Restricts the request to the rows with the given identifiers, which are primary keys.
    ///
    /// ```swift
    /// Player.all().filter(ids: [1, 2])
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2)
    /// ```
    public func filter(ids: any Collection<RowDecoder.ID>) -> Self where RowDecoder.ID: DatabaseValueConvertible {
        filter(keys: ids)
    }
}

/// A value of a key. A record type encodes it for a column. Without a record type, it has the default encoding.
struct KeyValue: Sendable {
    let encode: @Sendable ((any _DatabaseKeyEncoder.Type)?, String) -> DatabaseValue

    init(_ value: some DatabaseValueConvertible) {
        let databaseValue = value.databaseValue
        // The closure is `@Sendable`, and can't capture a value that isn't Sendable. Such a value has the default
        // encoding, `databaseValue`. A record type couldn't choose a different encoding: record types only choose the
        // encodings of `Date`, `UUID` and `Data`, which are Sendable.
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

    /// Returns `"id" = 1` or `"id" IN (1, 2)`; `0` without keys.
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

    /// Returns `("a" = 1) AND ("b" = 2)` for each key, joined with `OR`. In each key, the columns of the primary key
    /// come first, then the other columns in the order of the table.
    ///
    /// SQLite limits the depth of `OR` expressions. Therefore, the condition for many keys uses the IN operator.
    func condition(_ db: Database, keys: [[String: KeyValue?]]) throws -> SQLExpression {
        let keys = try columnValues(db, keys)
        if try keys.count > db.limit(.expressionDepth) / 2 { return ColumnValues.condition(keys) }
        return keys.map { key in
            zip(key.columns, key.values).map { Column($0) == $1 }.joined(operator: .and)
        }
        .joined(operator: .or)
    }

    /// Returns the columns and values of keys: first the primary key's columns, then others in the table's order.
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

    /// Returns whether the columns contain all columns of a unique key. A view has no key, unless the configuration's
    /// `schemaSource` defines one.
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

/// The columns and values of a key.
private struct ColumnValues {
    var columns: [String]
    var values: [DatabaseValue]

    /// The columns of a key that have a value, and those that are NULL. All keys with the same columns in both lists
    /// share one IN operator.
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

    /// Returns a condition with one IN operator for all keys that have values in the same columns, and NULL in the same
    /// columns: `("c" IS NULL) AND (("a", "b") IN (VALUES (1, 2), (3, 4)))`. Several such conditions are joined with
    /// `OR`.
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
