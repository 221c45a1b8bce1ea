import AmalgamCore
import Foundation

/// Reads a property from a column that contains JSON, or a single value such as the raw value of an enumeration. The
/// type of the property conforms to `Decodable`, but not to ``DatabaseValueConvertible``.
final class JSONColumnReader<Value: Decodable> {
    let column: Int

    /// The coding key of the property.
    private let key: any CodingKey

    /// The cached decoder of the column, and its own user info.
    private let decoder: JSONDecoder
    private let decoderUserInfo: [CodingUserInfoKey: Any]

    /// The user info of the record type, which may change.
    private let context: () -> [CodingUserInfoKey: Any]

    /// Whether the decoder treats TEXT and BLOB values differently.
    private let isBinary: Bool

    /// Whether JSON is tried first, because a previous value has requested a keyed or unkeyed container.
    private var isJSON = false

    init(_ column: Int, _ property: ReadProperty) {
        self.column = column
        key = property.key
        let recordType = property.source.recordType
        context = { recordType.databaseDecodingUserInfo }
        decoder = recordType.databaseJSONDecoder(for: property.strategyName)
        decoderUserInfo = decoder.userInfo
        isBinary = decoder is any BinaryJSONDecoder
    }

    /// - Throws: a ``RowDecodingError`` for NULL, and for a value that can't be converted; errors of the JSON decoder.
    func value(_ row: Row) throws -> Value {
        if isJSON, let value = try? json(row) { return value }
        let single = DatabaseValueDecoder(row.databaseValue(atUncheckedIndex: column), key: key, context: context)
        var value: Value?
        do {
            value = try Value(from: single)
            if let value, !isStoredAsJSON(single) { return value }
        } catch  where isStoredAsJSON(single) {
            // The type has requested a container: the value is JSON.
        } catch DecodingError.typeMismatch {
            throw row.mismatch(Value.self, index: column)
        }
        isJSON = true
        do {
            return try json(row)
        } catch {
            // The value may not be JSON, for instance a string stored by an earlier version of the type.
            if let value { return value }
            throw row.locating(error, atIndex: column)
        }
    }

    /// Whether the type encodes some values as arrays or objects, and other values as single values, such as
    /// `enum JSONValue { case number(Double), array([JSONValue]) }`.
    private lazy var isVarying = VaryingCodable.contains(Value.self)

    private func isStoredAsJSON(_ decoder: DatabaseValueDecoder) -> Bool { decoder.isAskedForContainer || isVarying }

    private func json(_ row: Row) throws -> Value {
        let userInfo = context()
        if !userInfo.isEmpty { decoder.userInfo = sendable(userInfo.merging(decoderUserInfo) { $1 }) }
        if let number = number(row) { return try decoder.decodeStored(Value.self, from: number, isText: true) }
        return try row.withUnsafeData(atIndex: column) { data in
            guard let data else { throw row.mismatch(Value.self, index: column) }
            return try decoder.decodeStored(Value.self, from: data, isText: isBinary && row.hasText(atIndex: column))
        }
    }

    /// The JSON of a number: a column with numeric affinity converts JSON such as `1` to a number.
    private func number(_ row: Row) -> Data? {
        guard isVarying, !row.hasText(atIndex: column) else { return nil }
        let value = row.databaseValue(atUncheckedIndex: column)
        return switch value.storage {
        case .int64, .double: value.storedJSON?.json
        case .null, .string, .blob: nil
        }
    }
}

/// Casts user info for the JSON coders, which require `Sendable` values.
func sendable(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
    // Both types are identical at run time, because `Sendable` is a marker protocol. The compiler accepts the cast only
    // from `Any`.
    let userInfo: Any = userInfo
    return userInfo as! [CodingUserInfoKey: any Sendable]
}

/// Captures the decoder of a JSON value. It can be retained.
private struct JSONContent: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) {
        self.decoder = decoder
    }
}

extension ReadProperty {
    /// Returns a decoder of the property's content, for types that decode it with nested containers.
    func decoder() throws -> any Decoder {
        let row = try source.row()
        if row.hasPart(named: name), let part = row.copy().scopesTree[name] {
            return RecordDecoder(RowSource(source.recordType, part, keeping: part), partOf: key)
        }
        if let rows = row.prefetchedRows(forKey: name) {
            return PrefetchedRowsDecoder(rows.rows, source.recordType, RowElements())
        }
        if let column, !row.hasNull(atIndex: column) {
            let json = source.recordType.databaseJSONDecoder(for: strategyName)
            json.userInfo = sendable(source.recordType.databaseDecodingUserInfo.merging(json.userInfo) { $1 })
            let data = try row.decode(Data.self, atIndex: column)
            return try row.locating(atIndex: column) {
                try json.decodeStored(JSONContent.self, from: data, isText: row.hasText(atIndex: column)).decoder
            }
        }
        let copy = row.copy()
        return RecordDecoder(RowSource(source.recordType, copy, keeping: copy), wholeRowFor: key)
    }
}
