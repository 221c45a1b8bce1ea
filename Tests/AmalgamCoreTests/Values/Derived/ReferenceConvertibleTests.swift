public import Amalgam
public import Foundation
import Testing

extension NSCharacterSet: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { bitmapRepresentation.databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(dbValue).flatMap { NSCharacterSet(bitmapRepresentation: $0) as? Self }
    }
}

extension CharacterSet: DatabaseValueConvertible {}

@Suite struct ReferenceConvertibleTests {
    @Test func valuesStoreWhatTheirClassStores() {
        let vowels = CharacterSet(charactersIn: "aeiouy")
        #expect(vowels.databaseValue == vowels.bitmapRepresentation.databaseValue)
        #expect(CharacterSet.fromDatabaseValue(vowels.databaseValue) == vowels)
        #expect(CharacterSet.fromDatabaseValue(1.databaseValue) == nil)
    }
}
