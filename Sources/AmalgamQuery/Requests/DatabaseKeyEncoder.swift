public import AmalgamCore

/// A type that encodes the keys by which a request finds rows.
///
/// For example, an application can find records by a `Date` value if the type stores dates as numbers.
public protocol _DatabaseKeyEncoder: SendableMetatype {
    /// Returns the value that a column stores for a key.
    static func _databaseKey(_ value: any DatabaseValueConvertible, forColumn column: String) -> DatabaseValue
}
