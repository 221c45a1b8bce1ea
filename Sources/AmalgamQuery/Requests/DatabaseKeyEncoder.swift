public import AmalgamCore

/// A type that decides how the keys of its rows are stored.
///
/// Records that store dates as numbers, for instance, are found by dates as well.
public protocol _DatabaseKeyEncoder: SendableMetatype {
    /// The value of a key, as it is stored in a column.
    static func _databaseKey(_ value: any DatabaseValueConvertible, forColumn column: String) -> DatabaseValue
}
