import AmalgamCore

/// The columns by which fetched rows are given to those they belong to.
///
/// A value of one table and one of the other are equal when SQLite says so, which has compared them to fetch the rows:
/// a text that refers to an integer is equal to it, and `'fr'` is equal to `'FR'` in a column that is compared without
/// case. So values are made alike first. Texts in a collation written in Swift are compared byte by byte.
struct PrefetchKey {
    private let comparisons: [KeyComparison]

    init(_ comparisons: [KeyComparison]) {
        self.comparisons = comparisons
    }

    /// Most keys are of one column: it needs no array.
    enum Value: Hashable {
        case one(DatabaseValue)
        case several([DatabaseValue])
    }

    /// A key that is the same for all keys that are equal.
    func callAsFunction(_ value: Value) -> Value {
        switch value {
        case .one(let value): .one(comparisons[0].alike(value))
        case .several(let values): .several(zip(comparisons, values).map { $0.alike($1) })
        }
    }

    /// The rows of each key, in their order.
    func groups(_ rows: [Row], _ values: [Value?]) -> [Value: [Row]] {
        var groups: [Value: [Row]] = [:]
        for (row, value) in zip(rows, values) {
            if let value { groups[self(value), default: []].append(row) }
        }
        return groups
    }

    /// The values of columns for each row of a statement; nil where one of them is NULL, and belongs to no row.
    ///
    /// The hidden columns count, or those of the same name.
    static func values(of columns: [String], in rows: [Row]) -> [Value?] {
        guard let first = rows.first else { return [] }
        let indexes = columns.map { column in
            first.index(ofColumn: Prefetch.hiddenName(column)) ?? first.index(ofColumn: column)
        }
        if indexes.count == 1 {
            return rows.map { row in
                let value = row.value(indexes[0])
                return value.isNull ? nil : .one(value)
            }
        }
        return rows.map { row in
            let values = indexes.map(row.value)
            return values.contains(where: \.isNull) ? nil : .several(values)
        }
    }
}

extension Row {
    fileprivate func value(_ index: Int?) -> DatabaseValue { index.map { self[$0] as DatabaseValue } ?? .null }
}

/// How a column of one table is compared with one of another: `right = left`.
struct KeyComparison {
    /// Numbers win over texts, texts over what has no affinity.
    private let affinity: ColumnComparison.Affinity
    private let collation: Database.CollationName

    init(left: ColumnComparison, right: ColumnComparison) {
        let affinities = [left.affinity, right.affinity]
        affinity = affinities.contains(.numeric) ? .numeric : affinities.contains(.text) ? .text : .none
        collation = Database.CollationName(rawValue: right.collation.rawValue.uppercased())
    }

    /// A value that is the same for all values that are equal.
    func alike(_ value: DatabaseValue) -> DatabaseValue {
        switch (value.storage, affinity) {
        case (.int64(let integer), .text): String(integer).databaseValue
        case (.double(let double), .text): String(double).databaseValue
        case (.double(let double), _): number(double)
        case (.string(let string), .numeric): number(string) ?? collated(string).databaseValue
        case (.string(let string), _): collated(string).databaseValue
        default: value
        }
    }

    /// 1.0 is 1.
    private func number(_ double: Double) -> DatabaseValue {
        Int64(exactly: double)?.databaseValue ?? double.databaseValue
    }

    /// The number that a text is for SQLite: <https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>.
    private func number(_ text: String) -> DatabaseValue? {
        let isBlank = { (byte: UInt8) in byte == 32 || 9...13 ~= byte }
        let bytes = text.utf8.drop(while: isBlank)
        let digits = bytes.prefix { !isBlank($0) }
        guard digits.allSatisfy("0123456789+-.eE".utf8.contains), bytes[digits.endIndex...].allSatisfy(isBlank) else {
            return nil
        }
        let number = String(digits) ?? ""
        return Int64(number)?.databaseValue ?? Double(number).map { self.number($0) }
    }

    private func collated(_ text: String) -> String {
        switch collation {
        case .nocase: String(decoding: text.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
        case .rtrim: String(text.reversed().drop { $0 == " " }.reversed())
        default: text
        }
    }
}

extension Database {
    /// How the values of a column are compared. What is known of no table has no affinity.
    func comparison(of column: String, in source: any SQLSource) throws -> ColumnComparison {
        guard source is TableSource else { return ColumnComparison(affinity: .none) }
        return try comparison(ofColumn: column, in: source.name)
    }
}
