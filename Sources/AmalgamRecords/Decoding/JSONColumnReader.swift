import AmalgamCore
import Foundation

/// Reads values that have no database representation from a column: those that are a single value after all, such as an
/// enumeration with a raw value, and JSON.
final class JSONColumnReader<Value: Decodable> {
    let column: Int

    /// The decoder of the column, made once, and its context, which may change.
    private let decoder: JSONDecoder
    private let context: () -> [CodingUserInfoKey: Any]

    /// Whether the decoder tells texts from blobs.
    private let isBinary: Bool

    /// Whether a value has asked for keys or elements: all of them will.
    private var isJSON = false

    init(_ column: Int, _ property: ReadProperty) {
        self.column = column
        let recordType = property.source.recordType
        context = { recordType.databaseDecodingUserInfo }
        decoder = recordType.databaseJSONDecoder(for: property.strategyName)
        isBinary = decoder is any BinaryJSONDecoder
    }

    /// - throws: a ``RowDecodingError`` for NULL, and for a value that is neither; errors of JSON.
    func value(_ row: Row) throws -> Value {
        if isJSON, let value = try? json(row) { return value }
        let single = DatabaseValueDecoder(row.databaseValue(atUncheckedIndex: column), context: context)
        do {
            let value = try Value(from: single)
            if !single.isAskedForContainer { return value }
        } catch  where single.isAskedForContainer {
            // The error of a container that is not there.
        } catch DecodingError.typeMismatch {
            throw row.mismatch(Value.self, index: column)
        }
        isJSON = true
        return try json(row)
    }

    private func json(_ row: Row) throws -> Value {
        try row.withUnsafeData(atIndex: column) { data in
            guard let data else { throw row.mismatch(Value.self, index: column) }
            let userInfo = context()
            if !userInfo.isEmpty { decoder.userInfo = sendable(userInfo) }
            return try decoder.decodeStored(Value.self, from: data, isText: isBinary && row.hasText(atIndex: column))
        }
    }
}

/// The JSON coders want context that is `Sendable`, which is more than the type of user info says.
func sendable(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
    // Both types are the same one when the program runs: `Sendable` is a promise to the compiler only.
    unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
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
            return RecordDecoder(RowSource(source.recordType, part, keeping: part), key: key)
        }
        if let rows = row.prefetchedRows(forKey: name) {
            return PrefetchedRowsDecoder(rows.rows, source.recordType, RowElements())
        }
        if let column, !row.hasNull(atIndex: column) {
            let json = source.recordType.databaseJSONDecoder(for: strategyName)
            let data = try row.decode(Data.self, atIndex: column)
            return try json.decodeStored(JSONContent.self, from: data, isText: row.hasText(atIndex: column)).decoder
        }
        let copy = row.copy()
        return RecordDecoder(RowSource(source.recordType, copy, keeping: copy), key: key)
    }
}
