package import AmalgamCore
import Foundation

// The format of a column that doesn't store values in their usual format. The format of a property's column calls the
// same strategies and representations as the encoder and the decoder of the record.

@usableFromInline
package struct StoredFormat<Value>: Sendable {
    let encode: @Sendable (Value) -> DatabaseValue
    let decode: @Sendable (DatabaseValue) throws -> Value?
    let traits: FormatTraits

    /// - Parameters:
    ///   - traits: what is known of the stored values.
    ///   - encode: returns the stored value of a value with which the column is compared, or that is assigned to it.
    ///   - decode: returns the value of a stored value; nil if it can't be converted.
    package init(
        _ traits: FormatTraits = FormatTraits(), encode: @escaping @Sendable (Value) -> DatabaseValue,
        decode: @escaping @Sendable (DatabaseValue) throws -> Value?
    ) {
        self.traits = traits
        self.encode = encode
        self.decode = decode
    }
}

/// What is known of a format in addition to its closures.
package struct FormatTraits: Sendable {
    /// How SQLite sorts the stored values.
    package enum Order: Sendable {
        /// In the order of the values.
        case kept

        /// In a different order, unless the values have none.
        case different

        /// The stored forms of a few values tell.
        case unknown
    }

    /// Returns how SQLite sorts the stored values. It is called when a request is built.
    let order: @Sendable () -> Order

    /// The type of the representation, if the format is that of one that stores values differently than their type.
    let representation: ObjectIdentifier?

    /// Creates traits.
    package init(representation: Any.Type? = nil, order: @escaping @Sendable () -> Order = { .unknown }) {
        self.representation = representation.map { ObjectIdentifier($0) }
        self.order = order
    }
}

/// How the stored form of a value differs from the value.
enum Rounding {
    case exact
    case down
    case up
}

extension StoredFormat {
    /// Decodes the stored form of a value, and compares the result with the value.
    func rounding(of value: Value) -> Rounding {
        guard let stored = try? decode(encode(value)) else { return .exact }
        // Formats such as seconds since 1970 as REAL may change the last bit of a date.
        if let date = value as? Date, let stored = stored as? Date, abs(date.timeIntervalSince(stored)) < 1e-6 {
            return .exact
        }
        guard let comparable = value as? any Comparable else { return .exact }
        return rounding(comparable, stored)
    }

    private func rounding<T: Comparable>(_ value: T, _ stored: Any) -> Rounding {
        guard let stored = stored as? T, stored != value else { return .exact }
        return stored < value ? .down : .up
    }

    /// Whether the stored form stands for a number, except for the last digits of a floating-point number, such as those
    /// of 0.1 + 0.2.
    func isExact(_ value: Value) -> Bool {
        if rounding(of: value) == .exact { return true }
        guard let real = self.real(value), let stored = (try? decode(encode(value))).flatMap({ self.real($0) }) else {
            return false
        }
        return (real.number - stored.number).magnitude <= real.precision * Swift.max(1, real.number.magnitude)
    }

    private func real(_ value: Any) -> (number: Double, precision: Double)? {
        switch value {
        case let value as Represented<Double>: (value.value, 1e-9)
        case let value as Represented<Float>: (Double(value.value), 1e-5)
        case let value as Double: (value, 1e-9)
        case let value as Float: (Double(value), 1e-5)
        default: nil
        }
    }
}

extension ComparisonNode.Operator {
    /// The operator for the stored form of the right operand.
    func rounded(_ rounding: Rounding) -> Self {
        switch (rounding, self) {
        case (.down, .less): .lessOrEqual
        case (.down, .greaterOrEqual): .greater
        case (.up, .lessOrEqual): .less
        case (.up, .greater): .greaterOrEqual
        default: self
        }
    }

    /// The operator for exchanged operands.
    var flipped: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Returns the stored value of a number that is added, as an expression. Writing it throws if the format rounds the
    /// number: the sum would be that of a different number.
    func exactForm(of value: Value) -> SQLExpression {
        format?.isExact(value) ?? true ? stored(value) : misuse(.rounding)
    }
}

// MARK: - Values of any type

extension TypedColumn {
    /// Returns the stored value of a value of any type, as an expression.
    func storedInFormat(_ value: Value) -> SQLExpression { storedForm(of: value).sqlExpression }

    /// Returns the stored value of a number that is added, as an expression. Writing it throws if the format rounds it.
    func exactForm(of value: Value) -> SQLExpression {
        format?.isExact(value) ?? true ? storedInFormat(value) : misuse(.rounding)
    }

    /// Returns the stored value of a value of any type.
    func storedForm(of value: Value) -> DatabaseValue { format?.encode(value) ?? usualForm(of: value) }
}

/// Returns what a `Codable` record without strategies stores for a value: the database value of its type, the single value
/// or the JSON that the type encodes, or its raw value. Other values are errors of the statement.
private func usualForm<Value>(of value: Value) -> DatabaseValue {
    func wrapped<Other: _OptionalValue>(_ type: Other.Type) -> DatabaseValue {
        (value as! Other)._optional.map { usualForm(of: $0) } ?? .null
    }
    if let type = Value.self as? any _OptionalValue.Type { return wrapped(type) }
    switch value {
    case let value as any DatabaseValueConvertible: return value.databaseValue
    case let value as any Encodable: return encodedForm(of: value)
    case let value as any RawRepresentable: return rawForm(of: value)
    default: return unknownForm(of: value)
    }
}

private func encodedForm(of value: some Encodable) -> DatabaseValue {
    do {
        if let single = try DatabaseValueEncoder.singleValue(of: value) { return single }
        return String(decoding: try DatabaseValue.databaseJSONEncoder().encode(value), as: UTF8.self).databaseValue
    } catch {
        return DatabaseValue(unstorable: "\(type(of: value)) does not encode: \(error)")
    }
}

private func rawForm(of value: some RawRepresentable) -> DatabaseValue {
    (value.rawValue as? any DatabaseValueConvertible)?.databaseValue ?? unknownForm(of: value)
}

private func unknownForm<Value>(of value: Value) -> DatabaseValue {
    DatabaseValue(
        unstorable:
            "a \(Value.self), whose format isn't known: use TypedColumn<\(Value.self)>(_:as:) with a representation")
}
