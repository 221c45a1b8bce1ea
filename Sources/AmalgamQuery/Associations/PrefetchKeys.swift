import AmalgamCore

/// The keys of several rows: the values by which associated rows are matched with the rows of a request.
///
/// For `Team.including(all: Team.players)`, the key of a team is its `id`, and the key of a player is its `teamId`. A
/// key that contains NULL is nil, and matches no row.
enum PrefetchKeys {
    /// Keys of one column that are all integers. They are matched without conversion.
    case integers([Int64?])
    case values([Value?])

    /// A key. Most keys have one column, and need no array.
    enum Value: Hashable {
        case one(DatabaseValue)
        case several([DatabaseValue])

        subscript(column: Int) -> DatabaseValue {
            switch self {
            case .one(let value): value
            case .several(let values): values[column]
            }
        }
    }

    /// Reads the keys from the result columns with the given names.
    init(_ columns: [String], in rows: [Row]) {
        let indexes = columns.map { column in rows.first.flatMap { $0.index(ofColumn: column) } }
        if indexes.count == 1 {
            self = Self.integers(indexes[0], rows) ?? .values(rows.map { .one($0.value(indexes[0])) })
        } else {
            self = .values(rows.map { row in .several(indexes.map(row.value)) })
        }
    }

    private static func integers(_ index: Int?, _ rows: [Row]) -> PrefetchKeys? {
        guard let index else { return nil }
        var integers: [Int64?] = []
        integers.reserveCapacity(rows.count)
        for row in rows {
            let integer = row.storageView.cells?.integer(row.baseIndex(index))
            if integer == nil && !row.hasNull(atIndex: index) { return nil }
            integers.append(integer)
        }
        return .integers(integers)
    }

    /// Whether all keys are NULL.
    var areNull: Bool {
        switch self {
        case .integers(let integers): integers.allSatisfy { $0 == nil }
        case .values(let values): values.allSatisfy { $0 == nil }
        }
    }

    /// The keys, as values.
    var values: [Value?] {
        switch self {
        case .integers(let integers): integers.map { $0.map { .one($0.databaseValue) } }
        case .values(let values): values
        }
    }

    /// The distinct keys of one column.
    var distinctValues: [DatabaseValue] {
        switch self {
        case .integers(let integers): distinct(integers).map(\.databaseValue)
        case .values(let values): distinct(values).map { $0[0] }
        }
    }

    private func distinct<Key: Hashable>(_ keys: [Key?]) -> [Key] {
        var known: Set<Key> = []
        return keys.compactMap { key in key.flatMap { known.insert($0).inserted ? $0 : nil } }
    }
}

extension PrefetchKeys.Value? {
    /// NULL isn't a key.
    fileprivate static func one(_ value: DatabaseValue) -> Self { value.isNull ? nil : .some(.one(value)) }

    fileprivate static func several(_ values: [DatabaseValue]) -> Self {
        values.contains(where: \.isNull) ? nil : .some(.several(values))
    }
}

/// Matches associated rows with the rows of a request by their keys.
///
/// Keys are compared by SQLite's rules, as in the condition of the statement. For example, a TEXT value can be equal to
/// an integer, and `'fr'` is equal to `'FR'` in a column with the collation NOCASE. Swift dictionaries match the keys.
/// Therefore, each key is first replaced by a normalized key, which is the same for all keys that are equal in SQLite.
struct PrefetchMatch {
    let comparisons: [KeyComparison]

    /// Returns, for each key of the request's rows, the fetched rows that have this key, in the order of the fetch.
    ///
    /// - Parameters:
    ///   - rows: the fetched rows.
    ///   - rowKeys: the keys of the fetched rows.
    ///   - keys: the keys of the rows of the request.
    func lists(_ db: Database, _ rows: [Row], _ rowKeys: PrefetchKeys, for keys: PrefetchKeys) throws -> [[Row]] {
        if case .integers(let rowKeys) = rowKeys, case .integers(let keys) = keys {
            return lists(rows, rowKeys, for: keys)
        }
        let (rowKeys, keys) = (rowKeys.values, keys.values)
        let comparisons = try comparisons.enumerated().map { column, comparison in
            try comparison.knowing(db) { [rowKeys, keys].joined().compactMap { $0?[column] } }
        }
        let alike = { (key: PrefetchKeys.Value?) in key.map { Self.alike($0, comparisons) } }
        return lists(rows, rowKeys.map(alike), for: keys.map(alike))
    }

    /// Returns, for each key of the request's rows, the rows of a batch that have this key, in the order of the fetch.
    /// Returns nil if the keys have several columns, or if a key is neither an integer nor NULL.
    ///
    /// - Parameters:
    ///   - batch: the fetched rows, to which no other code has a reference.
    ///   - columns: the names of the key columns of the fetched rows.
    ///   - keys: the keys of the rows of the request.
    func lists(_ batch: RowBatch, _ columns: [String], for keys: PrefetchKeys) -> [PrefetchedRows]? {
        guard columns.count == 1, case .integers(let keys) = keys,
            let index = batch.index(ofColumn: columns[0]),
            let rowKeys = batch.integers(atIndex: index)
        else { return nil }
        let (numbers, rowNumbers) = number(rowKeys, for: keys)
        let positions = batch.arrange(by: rowNumbers, groupCount: numbers.count)
        return keys.map { key in key.flatMap { numbers[$0] }.map { .part(batch, positions[$0]) } ?? .rows([]) }
    }

    /// Returns the normalized key, which is the same for all equal keys.
    private static func alike(_ key: PrefetchKeys.Value, _ comparisons: [KeyComparison]) -> PrefetchKeys.Value {
        switch key {
        case .one(let value): .one(comparisons[0].alike(value))
        case .several(let values): .several(zip(comparisons, values).map { $0.alike($1) })
        }
    }

    private func lists<Key: Hashable>(_ rows: [Row], _ rowKeys: [Key?], for keys: [Key?]) -> [[Row]] {
        let (numbers, rowNumbers) = number(rowKeys, for: keys)
        // Counting first allows to allocate the memory of each list at once.
        var counts = [Int](repeating: 0, count: numbers.count)
        for case let number? in rowNumbers { counts[number] += 1 }
        var lists = counts.map { count in
            var list: [Row] = []
            list.reserveCapacity(count)
            return list
        }
        for case (let row, let number?) in zip(rows, rowNumbers) { lists[number].append(row) }
        return keys.map { key in key.flatMap { numbers[$0] }.map { lists[$0] } ?? [] }
    }

    /// Numbers the distinct keys of the request's rows.
    ///
    /// - Returns: a dictionary from each distinct key to its number, and an array with one element for each fetched
    ///   row: the number of the row's key, or nil if no row of the request has this key.
    private func number<Key: Hashable>(_ rowKeys: [Key?], for keys: [Key?]) -> ([Key: Int], [Int?]) {
        var numbers: [Key: Int] = [:]
        numbers.reserveCapacity(keys.count)
        for case let key? in keys where numbers[key] == nil { numbers[key] = numbers.count }
        // Rows usually come from an index, in which equal keys are adjacent.
        var last: (key: Key?, number: Int?) = (nil, nil)
        let rowNumbers = rowKeys.map { key in
            if key != last.key { last = (key, key.flatMap { numbers[$0] }) }
            return last.number
        }
        return (numbers, rowNumbers)
    }
}

extension Row {
    fileprivate func value(_ index: Int?) -> DatabaseValue { index.map(databaseValue(atUncheckedIndex:)) ?? .null }
}

/// The comparison of a column of one table with a column of the other: `right = left`.
struct KeyComparison {
    /// Whether TEXT values that look like numbers are compared as numbers, because one of the columns has numeric
    /// affinity. Otherwise, the values of both columns are compared without conversion.
    private let isNumeric: Bool
    private let collation: TextComparison

    /// Whether the condition `right IN (…)`, with the values of the left column, accepts each row that `right = left`
    /// accepts. The values in a list have no affinity. If only the left column has numeric affinity, `right = left` is
    /// true for `'01'` in the right column and 1 in the left column, but `right IN (1)` isn't true for `'01'`.
    let isOfRightColumn: Bool

    /// Maps each string to one of the strings that are equal to it, if only SQLite can compare the strings.
    private var representatives: [DatabaseValue: DatabaseValue] = [:]

    /// The way in which strings are compared.
    private enum TextComparison {
        case bytes
        case withoutCase
        case withoutBlanksAtEnd
        case collation(Database.CollationName)
        /// The comparison of a column whose collation SQLite doesn't report.
        case column(name: String, table: String)

        init(_ collation: Database.CollationName) {
            switch collation.rawValue.uppercased() {
            case Database.CollationName.binary.rawValue: self = .bytes
            case Database.CollationName.nocase.rawValue: self = .withoutCase
            case Database.CollationName.rtrim.rawValue: self = .withoutBlanksAtEnd
            default: self = .collation(collation)
            }
        }

        /// Returns a query that numbers strings, so that equal strings have equal numbers. Nil if no query is needed.
        func ranks(of texts: () -> Set<DatabaseValue>) -> SQL? {
            switch self {
            case .bytes, .withoutCase, .withoutBlanksAtEnd:
                return nil
            case .collation(let collation):
                return """
                    SELECT value, dense_rank() OVER (ORDER BY value COLLATE \(collation)) \
                    FROM \(array: texts()) ORDER BY 2
                    """
            case .column(let name, let table):
                let texts = texts()
                if texts.isEmpty { return nil }
                // In a compound SELECT, SQLite uses the collation of the first part's column.
                return """
                    SELECT value, dense_rank() OVER (ORDER BY value) FROM \
                    (SELECT \(identifier: name) AS value FROM \(identifier: table) WHERE 0 \
                    UNION ALL SELECT value FROM \(array: texts)) ORDER BY 2
                    """
            }
        }
    }

    init(left: ColumnComparison, right: ColumnComparison, rightColumn: (name: String, table: String)) {
        isNumeric = left.affinity == .numeric || right.affinity == .numeric
        isOfRightColumn = !isNumeric || right.affinity == .numeric
        collation =
            right.collation.map { TextComparison($0) } ?? .column(name: rightColumn.name, table: rightColumn.table)
    }

    /// Returns this comparison, prepared for the given values. If the collation is BINARY, NOCASE or RTRIM, the
    /// comparison is returned unchanged. Otherwise, a query finds out which strings are equal.
    ///
    /// The query receives the strings as one array, which can't hold strings with a NUL character. The returned
    /// comparison treats each string with a NUL character as equal only to itself.
    func knowing(_ db: Database, _ values: () -> [DatabaseValue]) throws -> KeyComparison {
        let texts = { Set(values().map(alike)).filter(\.isPlainText) }
        guard let request = collation.ranks(of: texts) else { return self }
        let ranks = try Row.fetchCursor(db, SQLRequest<Row>(literal: request))
        var comparison = self
        var last: (text: DatabaseValue, rank: Int)?
        while let row = try ranks.next() {
            let text: DatabaseValue = row[0]
            let rank: Int = row[1]
            if last?.rank != rank { last = (text, rank) }
            comparison.representatives[text] = last?.text
        }
        return comparison
    }

    /// Returns the normalized value, which is the same for all equal values.
    func alike(_ value: DatabaseValue) -> DatabaseValue {
        switch value.storage {
        case .double(let double): number(double)
        case .string(let string): isNumeric ? number(string) ?? collated(string) : collated(string)
        default: value
        }
    }

    /// Returns a number without a fractional part as an integer: 1.0 is 1.
    private func number(_ double: Double) -> DatabaseValue {
        Int64(exactly: double)?.databaseValue ?? double.databaseValue
    }

    /// Returns the number to which SQLite converts a string for a comparison; nil if SQLite doesn't convert the string.
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

    private func collated(_ text: String) -> DatabaseValue {
        switch collation {
        case .bytes:
            text.databaseValue
        case .withoutCase:
            String(decoding: text.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self).databaseValue
        case .withoutBlanksAtEnd:
            String(text.reversed().drop { $0 == " " }.reversed()).databaseValue
        case .collation, .column:
            representatives[text.databaseValue] ?? text.databaseValue
        }
    }
}

extension DatabaseValue {
    /// Whether the value is a string that an array can hold.
    fileprivate var isPlainText: Bool {
        if case .string(let string) = storage { !string.utf8.contains(0) } else { false }
    }
}
