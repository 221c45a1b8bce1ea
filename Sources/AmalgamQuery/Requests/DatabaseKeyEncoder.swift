public import AmalgamCore

/// A record type that encodes the keys of requests such as `filter(key: date)`.
///
/// For example, a record type that stores dates as numbers encodes a `Date` key as a number.
public protocol _DatabaseKeyEncoder: SendableMetatype {
    /// Returns the value that a column stores for a key.
    static func _databaseKey(_ value: any DatabaseValueConvertible, forColumn column: String) -> DatabaseValue
}
