import CAmalgam

extension DatabaseFunction {
    /// The flags of a function in SQLite: <https://sqlite.org/c3ref/c_deterministic.html>.
    ///
    /// ```swift
    /// let notify = DatabaseFunction("notify", argumentCount: 1, options: .directOnly) { values in
    ///     print(values[0])
    ///     return nil
    /// }
    /// ```
    public struct Options: OptionSet, Sendable {
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_DIRECTONLY`: SQL in the database file (views, triggers, CHECK constraints, indexes, generated
        /// columns) can't call the function. For functions with side effects.
        public static let directOnly = Options(rawValue: SQLITE_DIRECTONLY)

        /// `SQLITE_INNOCUOUS`: SQL in the database file, such as views and triggers, can call the function even with
        /// `PRAGMA trusted_schema = OFF`. For functions that only compute a value:
        /// <https://sqlite.org/pragma.html#pragma_trusted_schema>.
        public static let innocuous = Options(rawValue: SQLITE_INNOCUOUS)

        /// `SQLITE_SUBTYPE`: the function reads the subtypes of its arguments. See ``Subtyped``.
        public static let readsSubtypes = Options(rawValue: SQLITE_SUBTYPE)

        /// `SQLITE_RESULT_SUBTYPE`: the function may return a value with a subtype. Without this option, such a result
        /// is an error. See ``Subtyped``.
        public static let returnsSubtype = Options(rawValue: SQLITE_RESULT_SUBTYPE)
    }
}
