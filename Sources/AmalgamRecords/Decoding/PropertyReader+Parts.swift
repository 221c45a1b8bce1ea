import AmalgamCore

// The decoding of properties whose type isn't a database value. Such a property is decoded from a scope of the row (the
// columns of a to-one association), from prefetched rows (a to-many association), or from a JSON column. If the row has
// none of these for a property, an optional property is nil, and any other property is decoded from the columns of the
// row itself. At most one property of a type can be decoded in this way.
//
//     struct PlayerInfo: Decodable, FetchableRecord {
//         var player: Player    // the row
//         var team: Team?       // its scope "team"
//         var medals: [Medal]   // the prefetched rows "medals"
//     }

extension ReadProperty {
    /// Whether the first row has a scope (joined columns), or prefetched rows, with the name of the property.
    var isPartOrList: Bool {
        guard let row = try? source.row() else { return false }
        return row.hasPart(named: name) || row.prefetchedRows(forKey: name) != nil
    }
}

extension PropertyReader where Value: Decodable {
    /// - Parameter element: creates the value from a row.
    static func ofParts(_ property: ReadProperty, _ element: RowElement<Value>) -> PropertyReader {
        let parts = PropertyParts(property, element)
        return ClosureReader(value: parts.value, ifPresent: parts.valueIfPresent)
    }
}

/// The sources of a property's value.
private final class PropertyParts<Value: Decodable> {
    private let name: String
    private let part: RowPart?
    private let json: JSONColumnReader<Value>?
    private let element: RowElement<Value>
    private let wholeRow: WholeRowClaim?

    /// Creates an array of records from prefetched rows.
    private let array: ((PrefetchedRows) throws -> Value)?

    /// The readers of the elements of lists that aren't arrays of records, cached for all rows.
    private let elements = RowElements()

    init(_ property: ReadProperty, _ element: RowElement<Value>) {
        name = property.name
        part = RowPart(named: property.name, in: (try? property.source.row())?.layout)
        json = property.column.map { JSONColumnReader($0, property) }
        self.element = element
        wholeRow = property.wholeRow
        array = (Value.self as? any RecordArray.Type).map { Self.arrayMaker($0) }
    }

    private static func arrayMaker<Records: RecordArray>(_ type: Records.Type) -> (PrefetchedRows) throws -> Value {
        let plans = RowPlans()
        return { try Records(rows: $0, plans) as! Value }
    }

    func value(_ source: RowSource) throws -> Value {
        let row = try source.row()
        if let part { return try part.with(row, element.make) }
        if let rows = row.prefetchedRows(forKey: name) { return try list(rows, source) }
        if let json { return try json.value(row) }
        guard let wholeRow else { return try element.makeOfWhole(row, source) }
        return try wholeRow.claim(name, source) { try element.makeOfWhole(row, source) }
    }

    func valueIfPresent(_ source: RowSource) throws -> Value? {
        let row = try source.row()
        if let part { return try part.with(row) { $0.containsNonNullValue ? try element.make($0) : nil } }
        if let rows = row.prefetchedRows(forKey: name) { return try list(rows, source) }
        guard let json, !row.hasNull(atIndex: json.column) else { return nil }
        return try json.value(row)
    }

    private func list(_ rows: PrefetchedRows, _ source: RowSource) throws -> Value {
        if let array { return try array(rows) }
        return try Value(from: PrefetchedRowsDecoder(rows.rows, source.recordType, elements))
    }
}

/// An array of records. It is decoded without a `Decoder`.
private protocol RecordArray {
    init(rows: PrefetchedRows, _ plans: RowPlans) throws
}

extension Array: RecordArray where Element: FetchableRecord {
    init(rows: PrefetchedRows, _ plans: RowPlans) throws { self = try plans.decode(Element.self, rows) }
}

/// Creates values from the scopes of rows, and from prefetched rows.
final class RowElement<Value> {
    /// Creates a value from its own row.
    let make: (Row) throws -> Value

    /// Creates a value from the row that contains its property.
    let makeOfWhole: (Row, RowSource) throws -> Value

    init(make: @escaping (Row) throws -> Value, ofWhole: @escaping (Row, RowSource) throws -> Value) {
        self.make = make
        makeOfWhole = ofWhole
    }
}

extension RowElement where Value: FetchableRecord {
    /// Creates records with their initializer.
    static func record() -> RowElement {
        let plans = RowPlans()
        let make = { (row: Row) in try plans.decode(Value.self, row) }
        return RowElement(make: make) { row, _ in try make(row) }
    }
}

extension RowElement where Value: Decodable {
    /// Returns an object that creates values of a type that isn't a record, such as `struct Medal: Decodable`. The
    /// record type that contains the property defines the strategies, for example for dates.
    ///
    /// - Parameter key: the coding key of the property.
    static func decodable(_ key: any CodingKey, _ recordType: any FetchableRecord.Type) -> RowElement {
        var kept: RecordDecoder?
        return RowElement { row in
            let decoder: RecordDecoder
            if let kept, kept.source.columns === row.columns, !kept.source.isReading {
                decoder = kept
            } else {
                decoder = RecordDecoder(rowsLike: row, of: recordType, key: key)
                kept = decoder
            }
            return try decoder.decode(Value.self, row)
        } ofWhole: { _, source in
            try Value(from: RecordDecoder(source, wholeRowFor: key))
        }
    }
}
