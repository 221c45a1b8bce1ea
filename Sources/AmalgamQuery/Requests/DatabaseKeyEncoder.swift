public import AmalgamCore

/// A type that encodes the keys of its rows.
///
/// It lets the application find records that store dates as numbers, for example, by `Date` values.
public protocol _DatabaseKeyEncoder: SendableMetatype {
    /// Returns the value that a column stores for a key.
    static func _databaseKey(_ value: any DatabaseValueConvertible, forColumn column: String) -> DatabaseValue
}
