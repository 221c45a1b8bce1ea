package import AmalgamCore
import Foundation

/// Values of a type, of which a format is asked for the stored forms. They are in ascending order.
package struct FormatSamples {
    /// A few values, which any format of the type can store.
    let first: [any DatabaseValueConvertible]

    /// More values, of both signs and different magnitudes.
    let all: [any DatabaseValueConvertible]

    /// The values of which two formats store the same forms if they are equal.
    var compared: [any DatabaseValueConvertible] {
        switch first.first {
        case is Double: first + [1.5]
        case is Date: first + [Date(timeIntervalSince1970: 1.5)]
        default: first
        }
    }

    init(of type: Any.Type) {
        let type = sampledType(type)
        let samples: (first: [any DatabaseValueConvertible], all: [any DatabaseValueConvertible]) =
            switch type {
            case is Bool.Type: ([false, true], [])
            case is UUID.Type: (Self.uuids, [])
            case is Data.Type: ([Data("a".utf8)], [])
            case is Date.Type: (Self.dates(Self.positive), Self.dates(Self.times))
            case is any SQLStringValue.Type: (Self.strings, [])
            case is any SQLNumericValue.Type, is any SQLDecimalValue.Type: (Self.positive, Self.numbers)
            default: ([], [])
            }
        (first, all) = samples
    }

    /// Numbers without 0, which may have a special form.
    static let positive: [Double] = [1, 2, 10]

    private static let numbers: [Double] = [
        -1_000_000, -99_999, -1000, -10.5, -10, -2, -1.5, -1, -0.25, 0.25, 0.5, 1, 1.5, 2, 9, 10, 10.25, 99, 100, 1000,
        99_999, 1_000_000,
    ]

    /// Seconds since 1970: times before and after noon, days and months of one and two digits, the ends of a month and of
    /// a year, years before and after 1970.
    private static let times: [Double] = [
        -1_000_000_000, -86_400, -10.5, 1, 1.5, 2, 10, 34_200, 36_000, 46_800, 777_600, 2_592_000, 2_678_400,
        23_587_200,
        31_449_600, 31_536_000, 1_000_000_000.25, 2_000_000_000,
    ]

    static let strings = ["10", "9", "B", "a", "a b", "aa", "b", "é", "🙂"]

    private static let uuids = [
        "00000000-0000-4000-8000-0000000000FF", "00000000-0000-4000-8000-00000000FF00",
        "0A000000-0000-4000-8000-000000000000", "A0000000-0000-4000-8000-000000000000",
        "FF000000-0000-4000-8000-000000000000",
    ].compactMap { UUID(uuidString: $0) }

    private static func dates(_ times: [Double]) -> [Date] { times.map { Date(timeIntervalSince1970: $0) } }

    /// Returns the type of the values of a column, without its optional and its representation.
    static func type(of type: Any.Type) -> Any.Type { sampledType(type) }

    /// Returns the value of a sample; nil if the type has no such value.
    package static func value<Value>(of sample: DatabaseValue) -> Value? {
        func represented<Other: _RepresentedValue>(_ type: Other.Type) -> Value? {
            converted(sample, to: Other.Number.self).map { Other(_number: $0) as! Value }
        }
        if let type = Value.self as? any _RepresentedValue.Type { return represented(type) }
        return converted(sample, to: Value.self)
    }
}

private func converted<Value>(_ sample: DatabaseValue, to type: Value.Type) -> Value? {
    func value<Other: DatabaseValueConvertible>(_ type: Other.Type) -> Value? {
        guard let value = Other.fromDatabaseValue(sample), !sample.isRounded(to: value.databaseValue) else {
            return nil
        }
        return value as? Value
    }
    return (type as? any DatabaseValueConvertible.Type).flatMap { value($0) }
}

extension DatabaseValue {
    /// Whether a number was converted to a different integer.
    fileprivate func isRounded(to converted: DatabaseValue) -> Bool {
        guard case .double(let number) = storage, case .int64(let integer) = converted.storage else { return false }
        return Double(integer) != number
    }
}

extension _OptionalValue {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

extension _RepresentedValue {
    fileprivate static var number: Any.Type { Number.self }
}

/// Returns the type that an optional wraps, or the type itself.
func withoutOptional(_ type: Any.Type) -> Any.Type { (type as? any _OptionalValue.Type)?.wrapped ?? type }

/// Returns the type of the values of a column, without its optional and its representation.
private func sampledType(_ type: Any.Type) -> Any.Type {
    withoutOptional((type as? any _RepresentedValue.Type)?.number ?? type)
}
