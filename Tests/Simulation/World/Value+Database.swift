package import Amalgam
import Foundation

extension Value: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }

    package static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Value? {
        switch dbValue.storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .string(let text): .text(text)
        case .blob(let data): .blob(Array(data))
        }
    }
}

extension Value {
    /// The values of a row.
    static func list(_ row: Row) -> [Value] { row.databaseValues.map { fromDatabaseValue($0) ?? .null } }
}
