import AmalgamCore
import Foundation

/// Reads values of types without a database representation from a column: a single value, such as that of an enumeration
/// with a raw value, or JSON.
final class JSONColumnReader<Value: Decodable> {
    let column: Int

    /// The property.
    private let key: any CodingKey

    /// The decoder of the column, made once, and its own context.
    private let decoder: JSONDecoder
    private let decoderUserInfo: [CodingUserInfoKey: Any]

    /// The context of the record, which may change.
    private let context: () -> [CodingUserInfoKey: Any]

    /// Whether the decoder tells TEXT from BLOB values.
    private let isBinary: Bool

    /// Whether values are tried as JSON first: a value has asked for keys or elements, so all of them will.
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

    /// - throws: a ``RowDecodingError`` for NULL, and for a value of another kind; errors of JSON.
    func value(_ row: Row) throws -> Value {
        if isJSON, let value = try? json(row) { return value }
        let single = DatabaseValueDecoder(row.databaseValue(atUncheckedIndex: column), key: key, context: context)
        var value: Value?
        do {
            value = try Value(from: single)
            if let value, !isStoredAsJSON(single) { return value }
        } catch  where isStoredAsJSON(single) {
            // The value is JSON.
        } catch DecodingError.typeMismatch {
            throw row.mismatch(Value.self, index: column)
        }
        isJSON = true
        do {
            return try json(row)
        } catch {
            // A string that was stored before its type had arrays, for instance, is no JSON.
            if let value { return value }
            throw error
        }
    }

    /// Whether some values of the type ask for keys or elements. It is known once the first single value was decoded.
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

    /// The JSON of a number: columns with numeric affinity turn JSON text into numbers.
    private func number(_ row: Row) -> Data? {
        guard isVarying, !row.hasText(atIndex: column) else { return nil }
        let value = row.databaseValue(atUncheckedIndex: column)
        return switch value.storage {
        case .int64, .double: value.storedJSON?.json
        case .null, .string, .blob: nil
        }
    }
}

/// The JSON coders want context that is `Sendable`, which is more than the type of user info says.
func sendable(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
    // Both types are the same one when the program runs: `Sendable` is a promise to the compiler only. By way of `Any`, the
    // compiler accepts the cast.
    let userInfo: Any = userInfo
    return userInfo as! [CodingUserInfoKey: any Sendable]
}

/// Lends the decoder of a JSON text, which may be used as long as somebody wants.
private struct JSONContent: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) {
        self.decoder = decoder
    }
}

extension ReadProperty {
    /// A decoder of what the property holds, for types that look into it by themselves.
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
            return try json.decodeStored(JSONContent.self, from: data, isText: row.hasText(atIndex: column)).decoder
        }
        let copy = row.copy()
        return RecordDecoder(RowSource(source.recordType, copy, keeping: copy), wholeRowFor: key)
    }
}
