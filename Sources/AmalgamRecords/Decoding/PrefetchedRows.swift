import AmalgamCore

/// Decodes the elements of a list property, such as `players: Set<Player>`, from prefetched rows. For the first
/// element, `make` creates a `RowReader`, which is cached for the next elements, also those of other records' lists.
final class RowElements {
    /// The `RowReader` of the most recently requested element type.
    private var reader: AnyObject?

    /// Creates an element from a row.
    func make<Element: Decodable>(
        _ elementType: Element.Type, _ row: Row, _ recordType: any FetchableRecord.Type
    ) throws -> Element {
        if let reader = reader as? RowReader<Element> { return try reader.make(row) }
        let reader = RowReader<Element>.make(recordType)
        self.reader = reader
        return try reader.make(row)
    }
}

private final class RowReader<Value> {
    let make: (Row) throws -> Value

    init(_ make: @escaping (Row) throws -> Value) {
        self.make = make
    }
}

extension RowReader where Value: Decodable {
    /// - Parameter recordType: the record that contains the list. Its strategies apply to elements that aren't records.
    static func make(_ recordType: any FetchableRecord.Type) -> RowReader {
        let reader: AnyObject =
            if let type = Value.self as? any FetchableRecord.Type {
                record(type)
            } else if let type = Value.self as? any DatabaseValueConvertible.Type {
                value(type)
            } else {
                RowReader(RowElement<Value>.decodable(ElementKey(), recordType).make)
            }
        return reader as! RowReader<Value>
    }

    private static func record<Record: FetchableRecord>(_ type: Record.Type) -> AnyObject {
        RowReader<Record>(RowElement<Record>.record().make)
    }

    /// The value of the first column.
    private static func value<Convertible: DatabaseValueConvertible>(_ type: Convertible.Type) -> AnyObject {
        RowReader<Convertible> { try $0.decode(Convertible.self, atIndex: 0) }
    }
}

private struct ElementKey: CodingKey {
    let stringValue = "element"
    let intValue: Int? = nil

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

/// Decodes the rows of a to-many association as a list of any type: an array, a set, …
struct PrefetchedRowsDecoder: Decoder {
    private let rows: [Row]
    private let recordType: any FetchableRecord.Type
    private let elements: RowElements

    init(_ rows: [Row], _ recordType: any FetchableRecord.Type, _ elements: RowElements) {
        self.rows = rows
        self.recordType = recordType
        self.elements = elements
    }

    var codingPath: [any CodingKey] { [] }

    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        Container(rows: rows, recordType: recordType, elements: elements)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw unsupported("keyed decoding from prefetched rows is not supported", [String: Any].self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw unsupported("single value decoding from prefetched rows is not supported", Any.self)
    }

    private func unsupported(_ message: String, _ type: Any.Type) -> DecodingError {
        .typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: message))
    }
}

extension PrefetchedRowsDecoder {
    private struct Container: UnkeyedDecodingContainer {
        let rows: [Row]
        let recordType: any FetchableRecord.Type
        let elements: RowElements
        var currentIndex = 0

        var codingPath: [any CodingKey] { [] }
        var count: Int? { rows.count }
        var isAtEnd: Bool { currentIndex >= rows.count }

        mutating func decodeNil() -> Bool { false }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
            let element = try elements.make(type, row(), recordType)
            currentIndex += 1
            return element
        }

        private func row() throws -> Row {
            if !isAtEnd { return rows[currentIndex] }
            throw DecodingError.valueNotFound(
                Row.self, DecodingError.Context(codingPath: [], debugDescription: "there is no other prefetched row"))
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try superDecoder().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try superDecoder().unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder {
            let row = try row()
            currentIndex += 1
            return RecordDecoder(RowSource(recordType, row, keeping: row))
        }
    }
}
