public import Foundation

// A Foundation value type whose class converts needs an empty conformance and nothing else:
//
//     extension NSCharacterSet: DatabaseValueConvertible { … }
//     extension CharacterSet: DatabaseValueConvertible {}

extension DatabaseValueConvertible where Self: ReferenceConvertible, Self.ReferenceType: DatabaseValueConvertible {
    /// What the class of this value stores.
    public var databaseValue: DatabaseValue { reference.databaseValue }

    /// What the class of this value reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(dbValue).flatMap { $0 as? Self }
    }

    fileprivate var reference: ReferenceType { self as! ReferenceType }
}

extension DatabaseValueConvertible
where Self: ReferenceConvertible & Encodable, Self.ReferenceType: DatabaseValueConvertible {
    /// What the class of this value stores.
    public var databaseValue: DatabaseValue { reference.databaseValue }
}

extension DatabaseValueConvertible
where Self: ReferenceConvertible & Decodable, Self.ReferenceType: DatabaseValueConvertible {
    /// What the class of this value reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(dbValue).flatMap { $0 as? Self }
    }
}
