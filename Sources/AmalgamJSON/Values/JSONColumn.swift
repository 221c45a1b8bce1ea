import AmalgamCore
public import AmalgamQuery
public import Foundation

/// A column that stores JSON text.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.primaryKey("id", .text)
///     t.column("address", .jsonText).notNull()
/// }
/// try db.create(index: "player_on_country", on: "player", expressions: [JSONColumn("address")["country"]])
/// // CREATE INDEX "player_on_country" ON "player"("address" ->> 'country')
///
/// struct Player: TableRecord {
///     enum Columns {
///         static let address = JSONColumn("address")
///     }
/// }
///
/// Player.filter { $0.address["country"] == "DE" }
/// // SELECT * FROM "player" WHERE ("address" ->> 'country') = 'DE'
/// ```
///
/// The last statement of the example uses the index. See <https://sqlite.org/json1.html>.
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    public var name: String

    public let valueEncoder: JSONEncoder?

    /// Creates a column from its unquoted name.
    public init(_ name: String) {
        self.name = name
        valueEncoder = nil
    }

    /// Creates a column named after a coding key.
    ///
    /// ```swift
    /// struct Player: Codable {
    ///     var info: [String: Int]
    ///
    ///     enum Columns {
    ///         static let info = JSONColumn(CodingKeys.info)
    ///     }
    /// }
    /// ```
    public init(_ codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }

    /// Creates a column from its unquoted name, and the encoder that writes its JSON.
    ///
    /// ```swift
    /// enum Columns {
    ///     static let info = JSONColumn("info", encoder: Player.databaseJSONEncoder(for: "info"))
    /// }
    /// ```
    ///
    /// - Parameter encoder: The encoder for Swift values that are compared with values inside the JSON, or inserted
    ///   into the JSON by an edit.
    public init(_ name: String, encoder: JSONEncoder) {
        self.name = name
        valueEncoder = encoder
    }
}

/// A column that stores JSONB, SQLite's binary JSON.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.primaryKey("id", .text)
///     t.column("info", .jsonb)
/// }
///
/// struct Player: TableRecord {
///     enum Columns {
///         static let info = JSONBColumn("info")
///     }
/// }
///
/// try Player.updateAll(db) { $0.info.edit(.set(["score"], to: 10)) }
/// // UPDATE "player" SET "info" = JSONB_SET("info", '$.score', 10)
/// ```
///
/// The API is that of a ``JSONColumn``. SQLite reads JSONB without parsing text, and edits write JSONB. See
/// <https://sqlite.org/json1.html#jsonb>.
public struct JSONBColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    public var name: String

    public let valueEncoder: JSONEncoder?

    /// Creates a column from its unquoted name.
    public init(_ name: String) {
        self.name = name
        valueEncoder = nil
    }

    /// Creates a column named after a coding key.
    ///
    /// ```swift
    /// struct Player: Codable {
    ///     var info: [String: Int]
    ///
    ///     enum Columns {
    ///         static let info = JSONBColumn(CodingKeys.info)
    ///     }
    /// }
    /// ```
    public init(_ codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }

    /// Creates a column from its unquoted name, and the encoder that writes its JSON.
    ///
    /// ```swift
    /// enum Columns {
    ///     static let info = JSONBColumn("info", encoder: Player.databaseJSONEncoder(for: "info"))
    /// }
    /// ```
    ///
    /// - Parameter encoder: The encoder for Swift values that are compared with values inside the JSON, or inserted
    ///   into the JSON by an edit.
    public init(_ name: String, encoder: JSONEncoder) {
        self.name = name
        valueEncoder = encoder
    }
}
