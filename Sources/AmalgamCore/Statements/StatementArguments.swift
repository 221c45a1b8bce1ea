import CAmalgam

/// The arguments of a statement: values for `?`, `?NNN`, `:name`, `@name` and `$name` parameters.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: [1, "Anna"])
/// try db.execute(sql: "INSERT INTO player VALUES (:id, :name)", arguments: ["id": 1, "name": "Anna"])
/// ```
///
/// Names are given without their prefix. The parameters for which there is no named value receive the positional
/// values, from left to right. This also applies to named parameters: `[1, "Anna"]` are valid arguments for
/// `(:id, :name)`. See <https://sqlite.org/lang_expr.html#varparam>.
public struct StatementArguments: Sendable {
    /// The positional arguments. Array literals and the values of records are only converted to `DatabaseValue` when a
    /// caller reads `values`.
    private enum Positional: Sendable {
        case values([DatabaseValue])
        case literal(LiteralValues)
        case stored([StoredValue])
    }

    private var positional: Positional

    package var namedValues: [String: DatabaseValue]

    /// The arguments that are arrays. `values` has a placeholder for each.
    private(set) var arrays: ArrayArguments?

    private init(values: [DatabaseValue], arrays: ArrayArguments?) {
        self.init(values: values, namedValues: [:])
        self.arrays = arrays
    }

    private init(literal: LiteralValues) {
        positional = .literal(literal)
        namedValues = Dictionary()  // `[:]` would be a function call.
    }

    /// Creates positional arguments.
    package init(_ values: __owned [StoredValue]) {
        positional = .stored(values)
        namedValues = Dictionary()  // `[:]` would be a function call.
    }

    package init(values: [DatabaseValue], namedValues: [String: DatabaseValue]) {
        positional = .values(values)
        self.namedValues = namedValues
    }

    package var values: [DatabaseValue] {
        get {
            switch positional {
            case .values(let values): values
            case .literal(let literal): literal.databaseValues
            case .stored(let values): values.map(\.databaseValue)
            }
        }
        // In place: thousands of arguments may be added one by one.
        _modify {
            var values = values
            positional = .values([])
            defer { positional = .values(values) }
            yield &values
        }
    }

    /// Appends a positional argument.
    package mutating func append(_ value: DatabaseValue) { values.append(value) }

    /// The number of positional arguments.
    var positionalCount: Int {
        switch positional {
        case .values(let values): values.count
        case .literal(let literal): literal.count
        case .stored(let values): values.count
        }
    }

    /// Binds the positional arguments to the parameters of a statement, starting at the first one.
    func bindPositional(with binder: inout ArgumentBinder) -> CInt {
        let code =
            switch positional {
            case .values(let values): values.bind(with: &binder)
            case .literal(let literal): literal.bind(with: &binder)
            case .stored(let values): values.bind(with: &binder)
            }
        guard code == SQLITE_OK, let arrays else { return code }
        binder.hasBoundBytes = true
        return arrays.bindPositional(to: binder.sqliteStatement)
    }

    /// The first value that can't be stored.
    var unstorableValue: DatabaseValue? {
        values.first { !$0.isStorable } ?? namedValues.values.first { !$0.isStorable }
    }

    /// Whether a value is NaN.
    var containsNaN: Bool {
        values.contains(where: \.isNaN) || namedValues.values.contains(where: \.isNaN)
    }

    /// Creates empty arguments.
    public init() {
        self.init(values: [], namedValues: [:])
    }

    /// Whether there are neither positional nor named arguments.
    public var isEmpty: Bool { positionalCount == 0 && namedValues.isEmpty }

    package var count: Int { positionalCount + namedValues.count }
}

extension StatementArguments: Hashable {
    public static func == (lhs: StatementArguments, rhs: StatementArguments) -> Bool {
        lhs.values == rhs.values && lhs.namedValues == rhs.namedValues
            && lhs.arrays ?? ArrayArguments() == rhs.arrays ?? ArrayArguments()
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(values)
        hasher.combine(namedValues)
    }
}

// MARK: - Positional arguments

extension StatementArguments: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        if let literal = LiteralValues(elements) {
            self.init(literal: literal)
        } else {
            self.init(elements)
        }
    }

    /// Creates positional arguments. nil is NULL.
    ///
    /// ```swift
    /// let values: [(any DatabaseValueConvertible)?] = ["Anna", 10, nil]
    /// let arguments = StatementArguments(values)
    /// ```
    public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
        var arrays: ArrayArguments?
        var stored: [StoredValue] = []
        stored.reserveCapacity(values.underestimatedCount)
        for value in values {
            ArrayArguments.note(value, at: stored.count, in: &arrays)
            stored.append(StoredValue(value))
        }
        self.init(stored)
        self.arrays = arrays
    }

    /// Creates positional arguments of one type.
    ///
    /// ```swift
    /// let arguments = StatementArguments([1, 2, 3])
    /// ```
    public init<S: Sequence>(_ values: S) where S.Element: DatabaseValueConvertible {
        if S.Element.self == SQLArray.self {
            self.init(values.map { $0 as (any DatabaseValueConvertible)? })
        } else {
            self.init(values: values.map(\.databaseValue), namedValues: [:])
        }
    }

    /// Creates positional arguments whose types are only known at run time.
    ///
    /// Returns nil if a value has no database representation.
    public init?(_ array: [Any]) {
        var values: [(any DatabaseValueConvertible)?] = []
        values.reserveCapacity(array.count)
        for element in array {
            guard let value = element as? any DatabaseValueConvertible else { return nil }
            values.append(value)
        }
        self.init(values)
    }
}

// MARK: - Named arguments

extension StatementArguments: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements)
    }

    /// Creates named arguments. nil is NULL. If a name is repeated, its last value is used.
    public init(_ keysAndValues: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
        self.init()
        for (name, value) in keysAndValues { set(value, for: name) }
    }

    private mutating func set(_ value: (any DatabaseValueConvertible)?, for name: String) {
        namedValues[name] = value?.databaseValue ?? .null
        ArrayArguments.note(value, for: name, in: &arrays)
    }

    /// Creates named arguments. nil is NULL.
    ///
    /// ```swift
    /// let values: [String: (any DatabaseValueConvertible)?] = ["name": "Anna", "score": 10]
    /// let arguments = StatementArguments(values)
    /// ```
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.map { ($0.key, $0.value) })
    }

    /// Creates named arguments whose types are only known at run time.
    ///
    /// Returns nil if a key isn't a string, or if a value has no database representation.
    public init?(_ dictionary: [AnyHashable: Any]) {
        self.init()
        for (key, element) in dictionary {
            guard let name = key.base as? String, let value = element as? any DatabaseValueConvertible else {
                return nil
            }
            set(value, for: name)
        }
    }
}

// MARK: - Composition

extension StatementArguments {
    /// Concatenates positional arguments, and merges named arguments.
    ///
    /// ```swift
    /// let arguments: StatementArguments = ["id": 1] + ["name": "Anna"]
    /// ```
    ///
    /// A name on both sides is a programmer error and traps. ``&+(_:_:)`` takes the value of the right side instead.
    public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result += rhs
        return result
    }

    /// Concatenates positional arguments, and merges named arguments. A name on both sides gets the value of the right
    /// side.
    public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        _ = result.append(contentsOf: rhs)
        return result
    }

    /// Appends arguments. A name on both sides is a programmer error and traps.
    public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
        let replaced = lhs.append(contentsOf: rhs)
        require(
            replaced.isEmpty,
            "already defined statement argument: \(replaced.keys.sorted().joined(separator: ", "))")
    }

    /// Appends arguments. A named argument replaces an earlier argument with the same name.
    ///
    /// ```swift
    /// var arguments: StatementArguments = ["name": "Anna"]
    /// arguments.append(contentsOf: ["name": "Bo", "score": 10])   // returns ["name": "Anna"]
    /// ```
    ///
    /// - Returns: the values that were replaced, by name.
    @discardableResult
    public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
        var replaced: [String: DatabaseValue] = [:]
        ArrayArguments.append(arguments, to: &arrays, after: positionalCount)
        values.append(contentsOf: arguments.values)
        for (name, value) in arguments.namedValues {
            if let old = namedValues.updateValue(value, forKey: name) { replaced[name] = old }
        }
        return replaced
    }
}

// MARK: - Distribution over statements

extension StatementArguments {
    /// Removes and returns the values of the parameters of one statement. Positional values are removed from the left.
    ///
    /// - Parameters:
    ///   - parameterNames: the names of the parameters; nil for a parameter without a name.
    ///   - sql: the SQL of the statement, for errors.
    /// - Throws: `SQLITE_MISUSE` if a parameter has no value. In this case, no value is removed.
    mutating func extract(for parameterNames: [String?], sql: String) throws -> StatementArguments {
        var positional = values[...]
        var extractedArrays: ArrayArguments?
        let extracted = try parameterNames.enumerated().map { index, name in
            if let name, let value = namedValues[name] {
                if let array = arrays?.named[name] { ArrayArguments.note(array, at: index, in: &extractedArrays) }
                return value
            }
            if let value = positional.popFirst() {
                let array = arrays?.positional[positional.startIndex - 1]
                if let array { ArrayArguments.note(array, at: index, in: &extractedArrays) }
                return value
            }
            throw missing(name, of: parameterNames, sql: sql)
        }
        arrays?.dropFirst(positional.startIndex)
        values = Array(positional)
        return StatementArguments(values: extracted, arrays: extractedArrays)
    }

    /// Returns the values of the parameters, with NULL for a parameter without a value.
    func padded(for parameterNames: [String?]) -> StatementArguments {
        let padding = StatementArguments(values: parameterNames.map { _ in .null }, arrays: nil)
        var padded = self
        padded.append(contentsOf: padding)
        return (try? padded.extract(for: parameterNames, sql: "")) ?? padding
    }

    private func missing(_ name: String?, of parameterNames: [String?], sql: String) -> DatabaseError {
        if let name, values.isEmpty, !namedValues.isEmpty {
            return DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "missing statement argument: \(name)", sql: sql)
        }
        return Self.wrongCount(values.count, of: parameterNames.count, sql: sql)
    }

    /// - Parameter parameterCount: the number of parameters; nil if the arguments are those of several statements.
    static func wrongCount(_ count: Int, of parameterCount: Int?, sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(count)", sql: sql,
            arguments: nil, publicStatementArguments: false, detail: parameterCount.map { .parameterCount($0) })
    }
}

// MARK: - Description

extension StatementArguments: CustomStringConvertible {
    /// The arguments as a literal: `[41, "Anna"]`, `["name": "Anna"]`, `["name": "Anna", 41]`.
    public var description: String {
        let named = namedValues.sorted { $0.key < $1.key }.map { name, value in
            "\"\(name)\": \(arrays?.named[name]?.description ?? value.description)"
        }
        let positional = values.enumerated().map { arrays?.positional[$0]?.description ?? $1.description }
        return "[" + (named + positional).joined(separator: ", ") + "]"
    }
}

/// Returns the question marks of a list of parameters: `?,?,?`.
///
/// ```swift
/// let sql = "INSERT INTO player VALUES (\(databaseQuestionMarks(count: 3)))"
/// ```
public func databaseQuestionMarks(count: Int) -> String {
    repeatElement("?", count: max(0, count)).joined(separator: ",")
}
