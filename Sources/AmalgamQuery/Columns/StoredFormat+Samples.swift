import AmalgamCore
import Foundation

// What SQL can do with the stored forms of values. The traits of a format tell what is known of it. Otherwise, a format is a
// pair of closures, so that only the stored forms of a few values tell: see FormatSamples.swift. They are asked while a
// request is built, for columns that have a format.

extension StoredFormat {
    /// Whether the stored forms have the order of the values. Those of values without an order do.
    var keepsOrder: Bool {
        let type = withoutOptional(Value.self)
        return switch traits.order() {
        case .kept: true
        // Samples stand for all Booleans, and for all UUIDs that are stored as TEXT of one length.
        case .different where type != Bool.self && type != UUID.self: !(type is any Comparable.Type)
        case .different, .unknown: keepsOrderOfSamples
        }
    }

    /// Whether the stored form of a sum is the sum of the stored forms: 0 is stored as 0, 2 as twice the stored form of 1,
    /// and 10 as ten times this form, except for rounding.
    var isLinear: Bool {
        guard let zero = storedNumber(0), zero == 0 else { return false }
        guard let one = storedNumber(1), let two = storedNumber(2), let ten = storedNumber(10) else { return true }
        func isClose(_ number: Double, to other: Double, _ rounding: Double) -> Bool {
            (number - other).magnitude <= Swift.max(1e-9 * number.magnitude, storesIntegers ? rounding : 0)
        }
        return isClose(two, to: 2 * one, 1) && isClose(ten, to: 10 * one, 10)
    }

    /// Whether numbers are stored as numbers.
    var storesNumbers: Bool { storedNumber(1) != nil }

    /// Whether strings are stored as their text. Other values have none.
    var storesText: Bool {
        guard Value.self is any SQLStringValue.Type else { return true }
        return forms(of: FormatSamples.strings).allSatisfy {
            ($0.kept as? any DatabaseValueConvertible)?.databaseValue == $0.stored
        }
    }

    /// Whether true is stored as a number other than 0, and false as 0: as SQL reads conditions.
    var storesTruth: Bool {
        guard let no = storedNumber(0), let yes = storedNumber(1) else { return false }
        return no == 0 && yes != 0
    }

    /// The stored form of true; nil if the type isn't one of Booleans.
    var storedTruth: DatabaseValue? {
        isBoolean ? value(ofSample: true.databaseValue).map(encode) : nil
    }

    /// Whether the values are Booleans, or have Booleans as raw values.
    private var isBoolean: Bool {
        let type = withoutOptional(Value.self)
        return type == Bool.self || (type as? any RawRepresentable.Type).map { $0.hasBooleans } ?? false
    }

    // MARK: Samples

    /// Whether the stored forms of samples have the order of the values.
    ///
    /// A format may not be able to store negative numbers. It isn't asked for their stored forms if the stored forms of
    /// positive numbers are proportional to the numbers.
    private var keepsOrderOfSamples: Bool {
        let samples = FormatSamples(of: Value.self)
        let first = forms(of: samples.first)
        return areInOrder(first) && (isProportional(first) || areInOrder(forms(of: samples.all)))
    }

    private func areInOrder(_ forms: [StoredForm]) -> Bool {
        zip(forms, forms.dropFirst()).allSatisfy { form, next in
            (form.kept as? any Comparable).map { hasOrder($0, next.kept, form.stored, next.stored) } ?? true
        }
    }

    private func hasOrder<T: Comparable>(
        _ kept: T, _ next: Any, _ stored: DatabaseValue, _ nextStored: DatabaseValue
    ) -> Bool {
        guard let next = next as? T, kept != next else { return true }
        return stored.precedes(nextStored) == (kept < next)
    }

    /// Whether the stored forms of 1, 2 and 10 are numbers that grow as these do.
    private func isProportional(_ forms: [StoredForm]) -> Bool {
        let numbers = forms.compactMap(\.stored.number)
        guard numbers.count == FormatSamples.positive.count else { return false }
        let (step, steps) = (numbers[1] - numbers[0], numbers[2] - numbers[1])
        return step > 0 && (steps - 8 * step).magnitude <= 1e-9 * steps.magnitude
    }

    private func forms(of samples: [any DatabaseValueConvertible]) -> [StoredForm] {
        samples.compactMap { sample in
            guard let value = value(ofSample: sample.databaseValue) else { return nil }
            let stored = encode(value)
            guard stored.isStorable, !stored.isNull, let kept = try? decode(stored) else { return nil }
            // Booleans have an order, but aren't comparable.
            return StoredForm(stored: stored, kept: (kept as? Bool).map { $0 ? 1 : 0 } ?? kept)
        }
    }

    private func storedNumber(_ number: Int) -> Double? {
        value(ofSample: number.databaseValue).flatMap { encode($0).number }
    }

    private var storesIntegers: Bool {
        if case .int64? = value(ofSample: 1.databaseValue).map(encode)?.storage { true } else { false }
    }

    private func value(ofSample sample: DatabaseValue) -> Value? { FormatSamples.value(of: sample) }
}

extension RawRepresentable {
    fileprivate static var hasBooleans: Bool { RawValue.self == Bool.self }
}

/// The stored form of a sample.
private struct StoredForm {
    let stored: DatabaseValue

    /// The value that is read from the stored form.
    let kept: Any
}

extension DatabaseValue {
    fileprivate var number: Double? {
        switch storage {
        case .int64(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

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
