public import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords

/// A row of `json_each` or `json_tree`: one value inside JSON.
///
/// ```swift
/// let elements = try JSONElements.each(of: #"{"a":1,"b":[2,3]}"#).all().fetchAll(db)
/// for element in elements {
///     print(element.fullkey, element.type, element.value)   // $.a integer 1, $.b array "[2,3]"
/// }
/// ```
///
/// ``JSONElements`` returns requests of elements. See <https://sqlite.org/json1.html#jeach>.
public struct JSONElement: FetchableRecord, TableRecord, Hashable, Sendable {
    /// The columns of `json_each` and `json_tree`.
    public enum Columns {
        /// The key in an object, the index in an array, or NULL.
        public static let key = Column("key")

        /// The SQL value, or JSON for arrays and objects. To access the values in this JSON, use `value.asJSON`.
        public static let value = JSONValueColumn("value")

        /// The type: see ``JSONType``.
        public static let type = Column("type")

        /// The SQL value, or NULL for arrays and objects.
        public static let atom = JSONValueColumn("atom")

        /// The unique number of the element.
        public static let id = Column("id")

        /// The `id` of the parent array or object in `json_tree`, otherwise NULL.
        public static let parent = Column("parent")

        /// The path of the element.
        public static let fullkey = Column("fullkey")

        /// The path of the parent array or object.
        public static let path = Column("path")
    }

    /// The name of the table-valued function. Without an argument from ``JSONElements``, it has no rows.
    public static var databaseTableName: String { "json_each" }

    /// The key in an object, the index in an array, or NULL.
    public var key: DatabaseValue

    /// The SQL value, or JSON for arrays and objects.
    public var value: DatabaseValue

    /// The type of the value.
    public var type: JSONType

    /// The SQL value, or NULL for arrays and objects.
    public var atom: DatabaseValue

    /// The unique number of the element.
    public var id: Int64

    /// The ``id`` of the parent array or object in `json_tree`; otherwise nil.
    public var parent: Int64?

    /// The path of the element. ``JSONPath/init(parsing:)`` parses it.
    public var fullkey: String

    /// The path of the parent array or object.
    public var path: String

    /// - Throws: A `RowDecodingError` if the row doesn't have these columns.
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
