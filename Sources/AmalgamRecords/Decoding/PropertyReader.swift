import AmalgamCore
import Foundation

/// Reads the values of one property, row after row.
///
/// What to look for depends on the type: found out once, it is a closure from then on.
final class PropertyReader<Value> {
    /// The value in the current row.
    let value: (RowSource) throws -> Value

    /// The value in the current row; nil when there is none.
    let valueIfPresent: (RowSource) throws -> Value?

    init(value: @escaping (RowSource) throws -> Value, ifPresent: @escaping (RowSource) throws -> Value?) {
        self.value = value
        valueIfPresent = ifPresent
    }
}

/// The property that is read.
struct ReadProperty {
    let key: any CodingKey

    /// The position of the column, when there is one.
    let column: Int?

    /// The rows. Closures that read them must not keep it, as it keeps them.
    let source: RowSource

    var name: String { key.stringValue }

    /// The name by which strategies know the column.
    var strategyName: String { column.map { source.strategyName(ofKey: name, column: $0) } ?? name }
}

extension PropertyReader where Value: Decodable {
    /// The reader of a property.
    static func make(_ property: ReadProperty) -> PropertyReader<Value> {
        let reader: AnyObject =
            ofStrategy(property)
            ?? (Value.self as? any FetchableRecord.Type).map { ofRecord($0, property) }
            ?? (Value.self as? any DatabaseValueConvertible.Type).flatMap { ofColumn($0, property) }
            ?? ofParts(property, RowElement.decodable(property.key, property.source.recordType))
        return unsafeDowncast(reader, to: PropertyReader<Value>.self)
    }

    /// Dates and data, which have strategies.
    private static func ofStrategy(_ property: ReadProperty) -> AnyObject? {
        let type: Any.Type = Value.self
        if type == Date.self || type == Date?.self { return property.dateReader(isOptional: type != Date.self) }
        if type == Data.self || type == Data?.self { return property.dataReader(isOptional: type != Data.self) }
        return nil
    }

    private static func ofRecord<Record: FetchableRecord>(
        _ type: Record.Type, _ property: ReadProperty
    ) -> AnyObject {
        ofParts(property, unsafeDowncast(RowElement<Record>.record() as AnyObject, to: RowElement<Value>.self))
    }

    /// A value of a column. Without column, it may still be a part of the row.
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
        PropertyReader<Convertible>.fast(column, base)
    }
}

extension PropertyReader where Value: DatabaseValueConvertible & StatementColumnConvertible {
    /// A value of a column that exists, read straight from the statement if there is one.
    ///
    /// - Parameter base: the position of the column in the statement.
    static func fast(_ column: Int, _ base: Int) -> PropertyReader {
        PropertyReader {
            if let value = $0.movingValue(Value.self, at: base) { return value }
            return try $0.row().decodeFast(Value.self, atUncheckedIndex: column)
        } ifPresent: {
            let row = try $0.row()
            if row.hasNull(atIndex: column) { return nil }
            return try $0.movingValue(Value.self, at: base) ?? row.decodeFast(Value.self, atUncheckedIndex: column)
        }
    }
}

extension PropertyReader {
    /// A value of a column that exists.
    static func column(_ column: Int, _ decode: @escaping (Row, Int) throws -> Value) -> PropertyReader {
        PropertyReader {
            try decode($0.row(), column)
        } ifPresent: {
            let row = try $0.row()
            return row.hasNull(atIndex: column) ? nil : try decode(row, column)
        }
    }
}

extension PropertyReader where Value: DatabaseValueConvertible {
    /// A value of a column that does not exist.
    fileprivate static func missing(_ name: String) -> PropertyReader {
        PropertyReader {
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
        if case .deferredToDate = strategy { return fastReader(Date.self, isOptional: isOptional) }
        return reader(isOptional: isOptional, strategy.decode)
    }

    fileprivate func dataReader(isOptional: Bool) -> AnyObject {
        switch source.recordType.databaseDataDecodingStrategy(for: strategyName) {
        case .deferredToData:
            return fastReader(Data.self, isOptional: isOptional)
        case .custom(let decode):
            return reader(isOptional: isOptional) { row, column in
                if let data = decode(row.databaseValue(atUncheckedIndex: column)) { return data }
                throw row.mismatch(Data.self, index: column)
            }
        }
    }

    private func fastReader<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, isOptional: Bool
    ) -> AnyObject {
        guard let column, !isOptional else {
            return reader(isOptional: isOptional) { try $0.decodeFast(type, atUncheckedIndex: $1) }
        }
        return PropertyReader<Value>.fast(column, source.baseIndex(column))
    }

    /// - Parameter isOptional: whether the type of the property is an optional, for once.
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
