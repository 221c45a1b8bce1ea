import AmalgamCore
import Foundation

/// Reads the values of one property, for all rows.
///
/// The subclass is chosen once for all rows, by the type of the property.
class PropertyReader<Value> {
    /// The value in the current row.
    func value(_ source: RowSource) throws -> Value { fatalError("a reader says how it reads") }

    /// The value in the current row; nil if there is none.
    func valueIfPresent(_ source: RowSource) throws -> Value? { fatalError("a reader says how it reads") }
}

/// Reads values with closures.
final class ClosureReader<Value>: PropertyReader<Value> {
    private let read: (RowSource) throws -> Value
    private let readIfPresent: (RowSource) throws -> Value?

    init(value: @escaping (RowSource) throws -> Value, ifPresent: @escaping (RowSource) throws -> Value?) {
        read = value
        readIfPresent = ifPresent
    }

    override func value(_ source: RowSource) throws -> Value { try read(source) }

    override func valueIfPresent(_ source: RowSource) throws -> Value? { try readIfPresent(source) }
}

/// Reads a column, directly from the statement if the row is attached to one.
class ColumnReader<Value: DatabaseValueConvertible & StatementColumnConvertible>: PropertyReader<Value> {
    private let column: Int

    /// The position of the column in the statement.
    fileprivate let base: Int

    init(_ column: Int, _ base: Int) {
        self.column = column
        self.base = base
    }

    override func value(_ source: RowSource) throws -> Value {
        if let value = source.movingValue(Value.self, at: base) { return value }
        return try source.row().decodeFast(Value.self, atUncheckedIndex: column)
    }

    override func valueIfPresent(_ source: RowSource) throws -> Value? {
        let row = try source.row()
        if row.hasNull(atIndex: column) { return nil }
        return try source.movingValue(Value.self, at: base) ?? row.decodeFast(Value.self, atUncheckedIndex: column)
    }
}

/// Reads a column of dates as ``ColumnReader`` does, in code specialized for dates, which are frequent.
final class DateReader: ColumnReader<Date> {
    override func value(_ source: RowSource) throws -> Date {
        try source.movingValue(Date.self, at: base) ?? super.value(source)
    }

    override func valueIfPresent(_ source: RowSource) throws -> Date? {
        try source.movingValue(Date.self, at: base) ?? super.valueIfPresent(source)
    }
}

/// A property to be read.
struct ReadProperty {
    let key: any CodingKey

    /// The position of the column, if there is one.
    let column: Int?

    /// The source of rows. The source retains the readers: closures of readers must not retain the source.
    let source: RowSource

    /// The claim on the row itself, which the properties of one type share.
    var wholeRow: WholeRowClaim?

    var name: String { key.stringValue }

    /// The column name passed to strategies.
    var strategyName: String { column.map { source.strategyName(ofKey: name, column: $0) } ?? name }
}

extension PropertyReader where Value: Decodable {
    /// Returns the reader of a property.
    static func make(_ property: ReadProperty) -> PropertyReader<Value> {
        let reader: AnyObject =
            ofStrategy(property)
            ?? (Value.self as? any FetchableRecord.Type).map { ofRecord($0, property) }
            ?? (Value.self as? any DatabaseValueConvertible.Type).flatMap { ofColumn($0, property) }
            ?? ofParts(property, RowElement.decodable(property.key, property.source.recordType))
        return reader as! PropertyReader<Value>
    }

    /// Readers of dates and data, which have strategies.
    private static func ofStrategy(_ property: ReadProperty) -> AnyObject? {
        let type: Any.Type = Value.self
        if type == Date.self || type == Date?.self { return property.dateReader(isOptional: type != Date.self) }
        if type == Data.self || type == Data?.self { return property.dataReader(isOptional: type != Data.self) }
        return nil
    }

    private static func ofRecord<Record: FetchableRecord>(
        _ type: Record.Type, _ property: ReadProperty
    ) -> AnyObject {
        ofParts(property, RowElement<Record>.record() as AnyObject as! RowElement<Value>)
    }

    /// Returns the reader of a column value. If the row has no column for the property, but a scope (the columns of a
    /// to-one association) or prefetched rows, returns nil. If the row has none of these, returns the reader of a
    /// missing column.
    private static func ofColumn<Convertible: DatabaseValueConvertible>(
        _ type: Convertible.Type, _ property: ReadProperty
    ) -> AnyObject? {
        guard let column = property.column else {
            return property.isPartOrList ? nil : PropertyReader<Convertible>.missing(property.name)
        }
        if let type = type as? any (DatabaseValueConvertible & StatementColumnConvertible).Type {
            return ofStatement(type, column, property.source.baseIndex(column))
        }
        return PropertyReader<Convertible>.column(column) { row, column in
            try row.decodeStored(Convertible.self, atUncheckedIndex: column)
        }
    }

    private static func ofStatement<Convertible: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Convertible.Type, _ column: Int, _ base: Int
    ) -> AnyObject {
        ColumnReader<Convertible>(column, base)
    }
}

extension PropertyReader {
    /// The reader of an existing column.
    static func column(_ column: Int, _ decode: @escaping (Row, Int) throws -> Value) -> PropertyReader {
        ClosureReader {
            try decode($0.row(), column)
        } ifPresent: {
            let row = try $0.row()
            return row.hasNull(atIndex: column) ? nil : try decode(row, column)
        }
    }
}

extension PropertyReader where Value: DatabaseValueConvertible {
    /// The reader of a missing column.
    fileprivate static func missing(_ name: String) -> PropertyReader {
        ClosureReader {
            try $0.row().missing(name)
        } ifPresent: { _ in
            nil
        }
    }
}

// MARK: - Strategies

extension ReadProperty {
    fileprivate func dateReader(isOptional: Bool) -> AnyObject {
        let strategy = source.recordType.databaseDateDecodingStrategy(for: strategyName)
        if case .deferredToDate = strategy { return fastReader(isOptional: isOptional, DateReader.init) }
        return reader(isOptional: isOptional, strategy.decode)
    }

    fileprivate func dataReader(isOptional: Bool) -> AnyObject {
        switch source.recordType.databaseDataDecodingStrategy(for: strategyName) {
        case .deferredToData:
            return fastReader(isOptional: isOptional, ColumnReader<Data>.init)
        case .custom(let decode):
            return reader(isOptional: isOptional) { row, column in
                if let data = decode(row.databaseValue(atUncheckedIndex: column)) { return data }
                throw row.mismatch(Data.self, index: column)
            }
        }
    }

    private func fastReader<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        isOptional: Bool, _ make: (Int, Int) -> PropertyReader<Value>
    ) -> AnyObject {
        if let column, !isOptional { return make(column, source.baseIndex(column)) }
        return reader(isOptional: isOptional) { try $0.decodeFast(Value.self, atUncheckedIndex: $1) }
    }

    /// - Parameter isOptional: whether the type of the property is an optional; only one level is supported.
    private func reader<Value: DatabaseValueConvertible>(
        isOptional: Bool, _ decode: @escaping (Row, Int) throws -> Value
    ) -> AnyObject {
        guard let column else {
            return isOptional ? PropertyReader<Value?>.missing(name) : PropertyReader<Value>.missing(name)
        }
        if !isOptional { return PropertyReader.column(column, decode) }
        return PropertyReader<Value?>.column(column) { row, column in
            row.hasNull(atIndex: column) ? nil : try decode(row, column)
        }
    }
}
