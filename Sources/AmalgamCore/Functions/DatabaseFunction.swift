import CAmalgam

/// A SQL function or aggregate written in Swift: <https://sqlite.org/appfunc.html>.
///
/// ```swift
/// let reverse = DatabaseFunction("reverse", pure: true) { (text: String) in
///     String(text.reversed())
/// }
/// config.prepareDatabase { db in db.add(function: reverse) }
///
/// try String.fetchOne(db, sql: "SELECT reverse('abc')")   // "cba"
/// ```
///
/// A function belongs to the connections it was added to. One object may be added to any number of them, and then runs
/// on several threads at a time: this is why its closure is `@Sendable`.
///
/// An error thrown by a function is the error of the statement that called it. A `DatabaseError` gives it its result
/// code and message; any other error gives it `SQLITE_ERROR`, and its description as message. Only a
/// `CancellationError` thrown when the access was cancelled comes out as it is.
///
/// A function may use the connection that calls it, but cannot run again the statement that calls it.
public final class DatabaseFunction: Identifiable, Sendable {
    /// What tells functions apart on one connection: the name, whatever its case, and the number of arguments.
    public struct ID: Hashable, Sendable {
        /// In lower case: SQLite ignores the case of ASCII letters.
        private let key: String
        fileprivate let name: String

        /// -1 for any number.
        let argumentCount: Int

        fileprivate init(_ name: String, _ argumentCount: Int) {
            self.key = name.lowercasedASCII
            self.name = name
            self.argumentCount = argumentCount
        }

        public static func == (lhs: ID, rhs: ID) -> Bool {
            lhs.argumentCount == rhs.argumentCount && lhs.key == rhs.key
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(key)
            hasher.combine(argumentCount)
        }
    }

    /// Name and number of arguments.
    public let id: ID

    /// The name.
    public var name: String { id.name }

    /// Whether the result depends on the arguments only.
    package let isPure: Bool

    let options: Options

    let body: FunctionBody

    @usableFromInline
    init(_ name: String, argumentCount: Int?, pure: Bool, options: Options, body: FunctionBody) {
        id = ID(name, argumentCount ?? -1)
        isPure = pure
        self.options = options
        self.body = body
    }
}

// MARK: - Functions of values

extension DatabaseFunction {
    /// A function that receives its arguments as an array.
    ///
    /// ```swift
    /// let average = DatabaseFunction("averageOf", pure: true) { (values: [DatabaseValue]) in
    ///     let numbers = values.compactMap { Double.fromDatabaseValue($0) }
    ///     return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    /// }
    /// // SELECT averageOf(1, 2, 6)   → 3.0
    /// ```
    ///
    /// The array is reused for the next call, unless the closure keeps it. ``init(_:pure:options:function:)`` is faster.
    ///
    /// - Parameters:
    ///   - name: the name in SQL, of 255 UTF-8 bytes at most.
    ///   - argumentCount: how many values the closure receives, from 0 to 1000; nil for any number. A call with another
    ///     number of arguments does not compile: `wrong number of arguments to function f()`.
    ///   - pure: whether the result depends on the arguments only. SQLite may then call the function less often, and
    ///     accepts it in indexes, generated columns and partial indexes: <https://sqlite.org/deterministic.html>.
    ///   - function: returns the result; nil is NULL.
    public convenience init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        self.init(name, argumentCount: argumentCount, pure: pure, options: [], function: function)
    }

    /// A function that receives its arguments as an array, with options.
    ///
    /// ```swift
    /// let forget = DatabaseFunction("forget", argumentCount: 1, options: .directOnly) { values in … }
    /// ```
    public convenience init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, options: Options,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        self.init(
            name, argumentCount: argumentCount, pure: pure, options: options,
            body: .values(ValuesFunction(function)))
    }
}

// MARK: - Aggregates

extension DatabaseFunction {
    /// An aggregate.
    ///
    /// ```swift
    /// struct MaxLength: DatabaseAggregate {
    ///     var maxLength = 0
    ///
    ///     mutating func step(_ dbValues: [DatabaseValue]) {
    ///         let length = String.fromDatabaseValue(dbValues[0])?.count ?? 0
    ///         maxLength = max(maxLength, length)
    ///     }
    ///
    ///     func finalize() -> (any DatabaseValueConvertible)? { maxLength }
    /// }
    ///
    /// let maxLength = DatabaseFunction("maxLength", argumentCount: 1, pure: true, aggregate: MaxLength.self)
    /// // SELECT maxLength(name) FROM player
    /// ```
    ///
    /// A type that is a ``DatabaseWindowAggregate`` also makes a window function.
    ///
    /// - Parameters:
    ///   - argumentCount: how many values `step` receives, from 0 to 1000; nil for any number.
    ///   - pure: whether the result depends on the arguments only.
    public convenience init<Aggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: Aggregate.Type
    ) where Aggregate: DatabaseAggregate {
        self.init(name, argumentCount: argumentCount, pure: pure, options: [], aggregate: aggregate)
    }

    /// An aggregate, with options.
    public convenience init<Aggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, options: Options, aggregate: Aggregate.Type
    ) where Aggregate: DatabaseAggregate {
        let body: FunctionBody =
            if let window = aggregate as? any DatabaseWindowAggregate.Type {
                .window(AggregateFactory(window: window))
            } else {
                .aggregate(AggregateFactory(aggregate))
            }
        self.init(name, argumentCount: argumentCount, pure: pure, options: options, body: body)
    }
}

extension String {
    /// The string with its ASCII letters, and no others, in lower case: how SQLite compares names.
    var lowercasedASCII: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
