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
/// A function can be added to any number of connections. Its closure is `@Sendable`, because several connections may
/// call it on different threads at the same time.
///
/// An error thrown by a function becomes the error of the statement that called the function. The code and message of a
/// `DatabaseError` are preserved. For other errors, the code is `SQLITE_ERROR`, and the message is the error's
/// description. A `CancellationError` thrown after the database access was cancelled is rethrown unchanged.
///
/// A function may use the connection that calls it, but can't run the statement that calls it.
public final class DatabaseFunction: Identifiable, Sendable {
    /// The identity of a function on one connection: the name, compared without regard to case, and the number of
    /// arguments.
    public struct ID: Hashable, Sendable {
        /// The name in lower case: SQLite ignores the case of ASCII letters.
        private let key: String
        fileprivate let name: String

        /// The number of arguments; -1 for any number.
        let argumentCount: Int

        fileprivate init(_ name: String, _ argumentCount: Int) {
            self.key = name.lowercasedASCII
            self.name = name
            self.argumentCount = argumentCount
        }

        public static func == (lhs: ID, rhs: ID) -> Bool {
            lhs.argumentCount == rhs.argumentCount && lhs.key.equalsExactly(rhs.key)
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(key)
            hasher.combine(argumentCount)
        }
    }

    /// The name and the number of arguments.
    public let id: ID

    /// The name of the function in SQL.
    public var name: String { id.name }

    /// Whether the result depends only on the arguments.
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
    /// Creates a function that receives its arguments as an array.
    ///
    /// ```swift
    /// let average = DatabaseFunction("averageOf", pure: true) { (values: [DatabaseValue]) in
    ///     let numbers = values.compactMap { Double.fromDatabaseValue($0) }
    ///     return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    /// }
    /// // SELECT averageOf(1, 2, 6)   → 3.0
    /// ```
    ///
    /// The storage of the array is reused for the next call, unless the closure retains the array. A function with
    /// typed arguments, `init(_:pure:options:function:)`, is faster.
    ///
    /// - Parameters:
    ///   - name: the name in SQL, at most 255 bytes of UTF-8.
    ///   - argumentCount: the number of arguments, from 0 to 1000; nil for any number. A call with a different number
    ///     of arguments doesn't compile: `wrong number of arguments to function f()`.
    ///   - pure: whether the result depends only on the arguments. SQLite may then call the function less often, and
    ///     accepts it in indexes, generated columns and partial indexes: <https://sqlite.org/deterministic.html>.
    ///   - function: returns the result; nil is NULL.
    public convenience init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        self.init(name, argumentCount: argumentCount, pure: pure, options: [], function: function)
    }

    /// Creates a function that receives its arguments as an array, with options.
    ///
    /// ```swift
    /// let notify = DatabaseFunction("notify", argumentCount: 1, options: .directOnly) { values in
    ///     print(values[0])
    ///     return nil
    /// }
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
    /// Creates an aggregate function.
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
    /// If the type is a ``DatabaseWindowAggregate``, the function is also a window function.
    ///
    /// - Parameters:
    ///   - name: the name in SQL, at most 255 bytes of UTF-8.
    ///   - argumentCount: the number of arguments that `step` receives, from 0 to 1000; nil for any number.
    ///   - pure: whether the result depends only on the arguments.
    ///   - aggregate: the type of the aggregate. SQLite creates one instance for each group of rows.
    public convenience init<Aggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: Aggregate.Type
    ) where Aggregate: DatabaseAggregate {
        self.init(name, argumentCount: argumentCount, pure: pure, options: [], aggregate: aggregate)
    }

    /// Creates an aggregate function, with options.
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
    /// The string with its ASCII letters in lower case, as SQLite compares names. Other letters are unchanged.
    var lowercasedASCII: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
