import AmalgamCore
import Foundation

// What SQL can do with the stored forms of numbers and strings. A format is a pair of closures, so that only the stored
// forms of a few values tell. They are asked while a request is built, for columns that have a format.

extension StoredFormat {
    /// Whether the stored forms have the order of the values. Formats of other types than numbers and strings do.
    var keepsOrder: Bool {
        let forms = forms
        return zip(forms, forms.dropFirst()).allSatisfy { form, next in
            guard let kept = form.kept as? any Comparable else { return true }
            return hasOrder(kept, next.kept, form.stored, next.stored)
        }
    }

    private func hasOrder<T: Comparable>(
        _ kept: T, _ next: Any, _ stored: DatabaseValue, _ nextStored: DatabaseValue
    ) -> Bool {
        guard let next = next as? T, kept != next else { return true }
        return stored.precedes(nextStored) == (kept < next)
    }

    /// Whether the stored form of a sum is the sum of the stored forms: 0 is stored as 0, and 2 as twice the stored form of
    /// 1, except for rounding.
    var isLinear: Bool {
        guard let zero = storedNumber(0), zero == 0 else { return false }
        guard let one = storedNumber(1), let two = storedNumber(2) else { return true }
        return (two - 2 * one).magnitude <= Swift.max(1e-9 * two.magnitude, storesIntegers ? 1 : 0)
    }

    /// Whether numbers are stored as numbers.
    var storesNumbers: Bool { storedNumber(1) != nil }

    /// Whether strings are stored as their text. Other values have none.
    var storesText: Bool {
        guard Value.self is any SQLStringValue.Type else { return true }
        return forms.allSatisfy { ($0.kept as? any DatabaseValueConvertible)?.databaseValue == $0.stored }
    }

    /// Whether another format stores the same numbers, as far as those of 1 and 2 tell.
    func isEqual<Other>(to other: StoredFormat<Other>?) -> Bool {
        [1, 2].allSatisfy { storedNumber($0) == other?.storedNumber($0) }
    }

    // MARK: Samples

    /// The stored forms of some numbers or strings, and the values that they stand for.
    private var forms: [(stored: DatabaseValue, kept: Any)] {
        let type: Any.Type = Value.self
        if type is any SQLStringValue.Type { return ["B", "a", "a b", "aa"].compactMap(form) }
        let isNumber =
            type is any _RepresentedValue.Type || type is any SQLNumericValue.Type || type is any SQLDecimalValue.Type
        // The stored form of 0 may be a special one.
        return isNumber ? [1, 2, 10].compactMap(form) : []
    }

    private func form(of sample: some DatabaseValueConvertible) -> (stored: DatabaseValue, kept: Any)? {
        guard let value = value(ofSample: sample.databaseValue) else { return nil }
        let stored = encode(value)
        guard let kept = try? decode(stored) else { return nil }
        return (stored, kept)
    }

    private func storedNumber(_ number: Int) -> Double? {
        switch value(ofSample: number.databaseValue).map(encode)?.storage {
        case .int64(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    private var storesIntegers: Bool {
        if case .int64? = value(ofSample: 1.databaseValue).map(encode)?.storage { true } else { false }
    }

    private func value(ofSample sample: DatabaseValue) -> Value? {
        func represented<Other: _RepresentedValue>(_ type: Other.Type) -> Value? {
            converted(sample, to: Other.Number.self).map { Other(_number: $0) as! Value }
        }
        if let type = Value.self as? any _RepresentedValue.Type { return represented(type) }
        return converted(sample, to: Value.self)
    }
}

private func converted<Value>(_ stored: DatabaseValue, to type: Value.Type) -> Value? {
    func value<Other: DatabaseValueConvertible>(_ type: Other.Type) -> Value? {
        Other.fromDatabaseValue(stored).map { $0 as! Value }
    }
    return (type as? any DatabaseValueConvertible.Type).flatMap { value($0) }
}

extension DatabaseValue {
    /// Whether SQLite sorts this value before the other value, without collations: <https://sqlite.org/datatype3.html#sort_order>.
    fileprivate func precedes(_ other: DatabaseValue) -> Bool {
        switch (storage, other.storage) {
        case (.int64(let value), .int64(let other)): value < other
        case (.string(let value), .string(let other)): value.utf8.lexicographicallyPrecedes(other.utf8)
        case (.blob(let value), .blob(let other)): value.lexicographicallyPrecedes(other)
        default: sortKey < other.sortKey
        }
    }

    /// The rank of the storage class, and the number.
    private var sortKey: (Int, Double) {
        switch storage {
        case .null: (0, 0)
        case .int64(let integer): (1, Double(integer))
        case .double(let double): (1, double)
        case .string: (2, 0)
        case .blob: (3, 0)
        }
    }
}
