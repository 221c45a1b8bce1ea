public import AmalgamCore
internal import Foundation

extension AuditLog {
    /// The primary key of an audited row: the values of the columns of the PRIMARY KEY, in the order of its
    /// declaration. If the table declares no primary key, the key is the rowid.
    ///
    /// ```swift
    /// let ofPlayer = AuditLog.history(of: "player", key: player.id)
    /// let ofCountry = AuditLog.history(of: "country", key: "FR")
    /// // PRIMARY KEY (playerId, isoCode)
    /// let ofCitizenship = AuditLog.history(of: "citizenship", key: [player.id, "FR"])
    /// ```
    ///
    /// If a table declares no primary key, VACUUM may change the rowids of its rows
    /// (<https://sqlite.org/lang_vacuum.html>), but not the keys in the log.
    public struct Key: Hashable, Sendable {
        /// The values of the columns of the key.
        public let values: [DatabaseValue]

        /// Creates the key of a table whose primary key has one column.
        ///
        /// ```swift
        /// let key = AuditLog.Key(player.id)
        /// ```
        public init(_ value: some DatabaseValueConvertible) {
            values = [value.databaseValue]
        }

        /// Creates the key of a table whose primary key has several columns.
        ///
        /// ```swift
        /// let key = AuditLog.Key([player.id, "FR"])
        /// ```
        public init(_ values: [any DatabaseValueConvertible]) {
            self.values = values.map(\.databaseValue)
        }

        /// Creates a key from the given value, which is a `Key` or the value of a one-column key.
        init(anyValue value: some DatabaseValueConvertible) {
            self = value as? Key ?? Key(value)
        }
    }
}

extension AuditLog.Key: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension AuditLog.Key: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

extension AuditLog.Key: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: any DatabaseValueConvertible...) { self.init(elements) }
}

extension AuditLog.Key: DatabaseValueConvertible {
    /// The value of the key in the log: a single number or string is stored unchanged, any other key as a JSONB array.
    public var databaseValue: DatabaseValue {
        if values.count == 1 {
            switch values[0].storage {
            case .int64, .double, .string: return values[0]
            case .null, .blob: break
            }
        }
        return Data(JSONBValue.array(values.map { JSONBValue($0) }).bytes).databaseValue
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> AuditLog.Key? {
        switch dbValue.storage {
        case .null: return nil
        case .int64, .double, .string: return AuditLog.Key(dbValue)
        case .blob(let data):
            guard case .array(let elements)? = JSONBValue(data) else { return nil }
            let values = elements.compactMap(\.databaseValue)
            return values.count == elements.count ? AuditLog.Key(values) : nil
        }
    }
}

extension AuditLog.Key: CustomStringConvertible {
    /// The key as a string: `1`, `"FR"`, or `[1, "FR"]`.
    public var description: String {
        values.count == 1 ? values[0].description : "[\(values.map(\.description).joined(separator: ", "))]"
    }
}
