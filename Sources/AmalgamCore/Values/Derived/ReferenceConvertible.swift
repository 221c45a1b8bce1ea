public import Foundation

// A Foundation value type whose class is convertible needs only an empty conformance:
//
//     extension NSCharacterSet: DatabaseValueConvertible { … }
//     extension CharacterSet: DatabaseValueConvertible {}

extension DatabaseValueConvertible where Self: ReferenceConvertible, Self.ReferenceType: DatabaseValueConvertible {
    /// The database value of the corresponding class.
    public var databaseValue: DatabaseValue { reference.databaseValue }

    /// Decodes the value with the corresponding class.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(dbValue).flatMap { $0 as? Self }
    }

    fileprivate var reference: ReferenceType { self as! ReferenceType }
}

extension DatabaseValueConvertible
where Self: ReferenceConvertible & Encodable, Self.ReferenceType: DatabaseValueConvertible {
    /// The database value of the corresponding class.
    public var databaseValue: DatabaseValue { reference.databaseValue }
}

extension DatabaseValueConvertible
where Self: ReferenceConvertible & Decodable, Self.ReferenceType: DatabaseValueConvertible {
    /// Decodes the value with the corresponding class.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(dbValue).flatMap { $0 as? Self }
    }
}
