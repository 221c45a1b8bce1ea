import CAmalgam

/// The arguments of a statement: values for its `?`, `?NNN`, `:name`, `@name` and `$name` parameters.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: [1, "Anna"])
/// try db.execute(sql: "INSERT INTO player VALUES (:id, :name)", arguments: ["id": 1, "name": "Anna"])
/// ```
///
/// Names are given without their sigil. Positional values feed the parameters that no name feeds, from left to
/// right, also named ones. See <https://sqlite.org/lang_expr.html#varparam>.
public struct StatementArguments: Sendable {
    /// Positional arguments. Those of literals and records are turned into database values when a caller looks at them.
    private enum Positional: Sendable {
        case values([DatabaseValue])
        case literal(LiteralValues)
        case stored([StoredValue])
    }

    private var positional: Positional

    package var namedValues: [String: DatabaseValue]

    /// The arguments that are arrays. The values in their places are what stands for them elsewhere.
    private(set) var arrays: ArrayArguments?

    private init(values: [DatabaseValue], arrays: ArrayArguments?) {
        self.init(values: values, namedValues: [:])
        self.arrays = arrays
    }

    private init(literal: LiteralValues) {
        positional = .literal(literal)
        namedValues = Dictionary()  // `[:]` is a call.
    }

    /// Positional arguments.
    package init(_ values: __owned [StoredValue]) {
        positional = .stored(values)
        namedValues = Dictionary()  // `[:]` is a call.
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
        // In place: arguments are added one by one, to thousands of them.
        _modify {
            var values = values
            positional = .values([])
            defer { positional = .values(values) }
            yield &values
        }
    }

    /// Adds a positional argument.
    package mutating func append(_ value: DatabaseValue) { values.append(value) }

    /// The number of positional arguments.
    var positionalCount: Int {
        switch positional {
        case .values(let values): values.count
        case .literal(let literal): literal.count
        case .stored(let values): values.count
        }
    }

    /// Binds the positional arguments to the parameters of a statement, from the first one on.
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

    /// The first value that cannot be stored.
    var unstorableValue: DatabaseValue? {
        values.first { !$0.isStorable } ?? namedValues.values.first { !$0.isStorable }
    }

    /// No argument.
    public init() {
        self.init(values: [], namedValues: [:])
    }

    /// Whether there is no argument at all.
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

    /// Positional arguments. nil is NULL.
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

    /// Positional arguments.
    public init<S: Sequence>(_ values: S) where S.Element: DatabaseValueConvertible {
        if S.Element.self == SQLArray.self {
            self.init(values.map { $0 as (any DatabaseValueConvertible)? })
        } else {
            self.init(values: values.map(\.databaseValue), namedValues: [:])
        }
    }

    /// Positional arguments of types that are only known at run time.
    ///
    /// - Returns: nil when a value has no database representation.
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

    /// Named arguments. nil is NULL. The last value wins when a name is repeated.
    public init(_ keysAndValues: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
        self.init()
        for (name, value) in keysAndValues { set(value, for: name) }
    }

    private mutating func set(_ value: (any DatabaseValueConvertible)?, for name: String) {
        namedValues[name] = value?.databaseValue ?? .null
        ArrayArguments.note(value, for: name, in: &arrays)
    }

    /// Named arguments. nil is NULL.
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.map { ($0.key, $0.value) })
    }

    /// Named arguments of types that are only known at run time.
    ///
    /// - Returns: nil when a key is not a string, or a value has no database representation.
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
    /// Concatenates positional arguments, and unites named ones.
    ///
    /// A name given by both sides is a programmer error and traps: use ``&+(_:_:)`` to let the right side win.
    public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result += rhs
        return result
    }

    /// Concatenates positional arguments, and unites named ones. The right side wins.
    public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        _ = result.append(contentsOf: rhs)
        return result
    }

    /// Adds arguments. A name given by both sides is a programmer error and traps.
    public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
        let replaced = lhs.append(contentsOf: rhs)
        require(
            replaced.isEmpty,
            "already defined statement argument: \(replaced.keys.sorted().joined(separator: ", "))")
    }

    /// Adds arguments. New values replace those of the same name.
    ///
    /// - Returns: the values that were replaced.
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
    /// Takes, from the left, the values of the parameters of one statement.
    ///
    /// - Parameter parameterNames: one per parameter; nil for those without a name.
    /// - throws: `SQLITE_MISUSE` when a parameter gets no value. Nothing is taken then.
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
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: missing(name), sql: sql)
        }
        arrays?.dropFirst(positional.startIndex)
        values = Array(positional)
        return StatementArguments(values: extracted, arrays: extractedArrays)
    }

    /// The values of the parameters, without a check of their number: NULL where there is none.
    func padded(for parameterNames: [String?]) -> StatementArguments {
        let padding = StatementArguments(values: parameterNames.map { _ in .null }, arrays: nil)
        var padded = self
        padded.append(contentsOf: padding)
        return (try? padded.extract(for: parameterNames, sql: "")) ?? padding
    }

    private func missing(_ name: String?) -> String {
        if let name, values.isEmpty, !namedValues.isEmpty { return "missing statement argument: \(name)" }
        return "wrong number of statement arguments: \(values.count)"
    }

    static func wrongCount(_ count: Int, sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(count)", sql: sql)
    }
}

// MARK: - Text

extension StatementArguments: CustomStringConvertible {
    /// `[41, "Anna"]`, `["name": "Anna"]`, `["name": "Anna", 41]`
    public var description: String {
        let named = namedValues.sorted { $0.key < $1.key }.map { name, value in
            "\"\(name)\": \(arrays?.named[name]?.description ?? value.description)"
        }
        let positional = values.enumerated().map { arrays?.positional[$0]?.description ?? $1.description }
        return "[" + (named + positional).joined(separator: ", ") + "]"
    }
}

/// Question marks for a list of parameters: `?,?,?`.
///
/// ```swift
/// let sql = "INSERT INTO player VALUES (\(databaseQuestionMarks(count: 3)))"
/// ```
public func databaseQuestionMarks(count: Int) -> String {
    repeatElement("?", count: max(0, count)).joined(separator: ",")
}
