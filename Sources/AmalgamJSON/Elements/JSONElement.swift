public import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords

/// A row of `json_each` or `json_tree`: one value inside of JSON.
///
/// Requests for elements are made by ``JSONElements``. See <https://sqlite.org/json1.html#jeach>.
public struct JSONElement: FetchableRecord, TableRecord, Hashable, Sendable {
    /// The columns of `json_each` and `json_tree`.
    public enum Columns {
        /// The key in an object, the position in an array, or NULL.
        public static let key = Column("key")

        /// The value: an SQL value, or JSON for arrays and objects. Where it is one, `value.asJSON` looks into it.
        public static let value = JSONValueColumn("value")

        /// The ``JSONType``.
        public static let type = Column("type")

        /// The value where it is no array and no object, and NULL where it is.
        public static let atom = JSONValueColumn("atom")

        /// A number that is different for each element.
        public static let id = Column("id")

        /// The `id` of the array or object around, in `json_tree`; else NULL.
        public static let parent = Column("parent")

        /// The path to the element.
        public static let fullkey = Column("fullkey")

        /// The path to the array or object around.
        public static let path = Column("path")
    }

    /// The name of the function. Only ``JSONElements`` gives it JSON: as a table, it is empty.
    public static var databaseTableName: String { "json_each" }

    /// The key in an object, the position in an array, or NULL.
    public var key: DatabaseValue

    /// The value: an SQL value, or JSON for arrays and objects.
    public var value: DatabaseValue

    /// The type.
    public var type: JSONType

    /// The value where it is no array and no object.
    public var atom: DatabaseValue

    /// A number that is different for each element.
    public var id: Int64

    /// The ``id`` of the array or object around, in `json_tree`.
    public var parent: Int64?

    /// The path to the element. ``JSONPath/init(parsing:)`` takes it apart.
    public var fullkey: String

    /// The path to the array or object around.
    public var path: String

    /// - throws: a `RowDecodingError` for a row of something else.
    public init(row: Row) throws {
        key = try row.decode(forColumn: Columns.key)
        value = try row.decode(forColumn: Columns.value)
        type = try row.decode(forColumn: Columns.type)
        atom = try row.decode(forColumn: Columns.atom)
        id = try row.decode(forColumn: Columns.id)
        parent = try row.decode(forColumn: Columns.parent)
        fullkey = try row.decode(forColumn: Columns.fullkey)
        path = try row.decode(forColumn: Columns.path)
    }
}
