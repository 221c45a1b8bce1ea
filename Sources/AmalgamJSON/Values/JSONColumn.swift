import AmalgamCore
public import AmalgamQuery
public import Foundation

/// A column whose values are JSON.
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
/// The statement uses the index. See <https://sqlite.org/json1.html>.
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    public var name: String

    public let valueEncoder: JSONEncoder?

    /// The column with this name, without quotes.
    public init(_ name: String) {
        self.name = name
        valueEncoder = nil
    }

    /// The column with the name of a coding key.
    public init(_ codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }

    /// The column with this name, without quotes, whose JSON is written by an encoder.
    ///
    /// ```swift
    /// static let info = JSONColumn("info", encoder: Player.databaseJSONEncoder(for: "info"))
    /// ```
    ///
    /// - Parameter encoder: encodes the Swift values that are compared with values inside the JSON, and those that an edit
    ///   puts into it.
    public init(_ name: String, encoder: JSONEncoder) {
        self.name = name
        valueEncoder = encoder
    }
}

/// A column whose values are JSONB, the binary form in which SQLite looks into JSON.
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
/// It is read like a ``JSONColumn``, without parsing. Only what writes differs. See <https://sqlite.org/json1.html#jsonb>.
public struct JSONBColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    public var name: String

    public let valueEncoder: JSONEncoder?

    /// The column with this name, without quotes.
    public init(_ name: String) {
        self.name = name
        valueEncoder = nil
    }

    /// The column with the name of a coding key.
    public init(_ codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }

    /// The column with this name, without quotes, whose JSON is written by an encoder.
    ///
    /// ```swift
    /// static let info = JSONBColumn("info", encoder: Player.databaseJSONEncoder(for: "info"))
    /// ```
    ///
    /// - Parameter encoder: encodes the Swift values that are compared with values inside the JSON, and those that an edit
    ///   puts into it.
    public init(_ name: String, encoder: JSONEncoder) {
        self.name = name
        valueEncoder = encoder
    }
}
