extension DatabaseFunction {
    /// A value with a subtype: a number that functions attach to their results for other functions.
    ///
    /// The subtype of SQLite's JSON functions is 74. It makes `json_array(json('[1]'))` return `[[1]]` rather than
    /// `["[1]"]`: <https://sqlite.org/c3ref/value_subtype.html>.
    ///
    /// ```swift
    /// let list = DatabaseFunction("list", options: .returnsSubtype) { (a: Int, b: Int) in
    ///     DatabaseFunction.Subtyped("[\(a),\(b)]", subtype: 74)
    /// }
    /// // SELECT json_object('list', list(1, 2))   → {"list":[1,2]}
    /// ```
    ///
    /// A function that returns a subtyped value needs the option ``Options/returnsSubtype``. A function that receives
    /// subtyped arguments needs the option ``Options/readsSubtypes``. Values stored in a table lose their subtype.
    public struct Subtyped<Value: DatabaseValueConvertible>: DatabaseValueConvertible {
        /// The value without its subtype.
        public var value: Value

        /// The subtype, 0 for none.
        public var subtype: UInt8

        /// Creates a value with a subtype; 0 for none.
        public init(_ value: Value, subtype: UInt8) {
            self.value = value
            self.subtype = subtype
        }

        /// The database value, which has no subtype.
        public var databaseValue: DatabaseValue { value.databaseValue }

        /// Decodes a value, whose subtype is 0.
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
