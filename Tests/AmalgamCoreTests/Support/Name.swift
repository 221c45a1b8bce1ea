import Amalgam
import AmalgamCore

/// A value that decodes from `DatabaseValue` only, not directly from a statement.
struct Name: DatabaseValueConvertible, Hashable, ExpressibleByStringLiteral {
    var text: String

    init(_ text: String) { self.text = text }

    init(stringLiteral text: String) { self.text = text }

    var databaseValue: DatabaseValue { text.databaseValue }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Name? {
        String.fromDatabaseValue(dbValue).map { Name($0) }
    }
}
