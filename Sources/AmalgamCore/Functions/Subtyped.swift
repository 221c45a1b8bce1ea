extension DatabaseFunction {
    /// A value with a subtype: a mark that functions leave on their results for other functions.
    ///
    /// SQLite's JSON functions mark their results with 74, so that `json_array(json('[1]'))` is `[[1]]` and not
    /// `["[1]"]`: <https://sqlite.org/c3ref/value_subtype.html>.
    ///
    /// ```swift
    /// let list = DatabaseFunction("list", options: .returnsSubtype) { (a: Int, b: Int) in
    ///     DatabaseFunction.Subtyped("[\(a),\(b)]", subtype: 74)
    /// }
    /// // SELECT json_object('list', list(1, 2))   → {"list":[1,2]}
    /// ```
    ///
    /// A function that returns one needs the option ``Options/returnsSubtype``, and one that receives some the option
    /// ``Options/readsSubtypes``. Stored in a table, a value loses its subtype.
    public struct Subtyped<Value: DatabaseValueConvertible>: DatabaseValueConvertible {
        /// The value that the mark is on.
        public var value: Value

        /// The mark. 0 for none.
        public var subtype: UInt8

        /// Marks a value; 0 is no mark.
        public init(_ value: Value, subtype: UInt8) {
            self.value = value
            self.subtype = subtype
        }

        /// The value without its subtype.
        public var databaseValue: DatabaseValue { value.databaseValue }

        /// The value, without subtype.
        public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
            Value.fromDatabaseValue(dbValue).map { Self($0, subtype: 0) }
        }

        public static func fromFunctionArgument(_ argument: Argument) -> Self? {
            Value.fromFunctionArgument(argument).map { Self($0, subtype: argument.subtype) }
        }

        public func setFunctionResult(_ result: Result) {
            value.setFunctionResult(result)
            result.setSubtype(subtype)
        }
    }
}

extension DatabaseFunction.Subtyped: Sendable where Value: Sendable {}
