import CAmalgam

extension DatabaseFunction {
    /// What SQLite may do with a function, and what the function does beside returning a value:
    /// <https://sqlite.org/c3ref/c_deterministic.html>.
    public struct Options: OptionSet, Sendable {
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_DIRECTONLY`: the function cannot be called from views, triggers, CHECK constraints, indexes and
        /// generated columns, that is, from SQL that a database file brings along. For functions with side effects.
        public static let directOnly = Options(rawValue: SQLITE_DIRECTONLY)

        /// `SQLITE_INNOCUOUS`: the function can be called from the schema also when the schema is not trusted. For
        /// functions that do nothing but compute: <https://sqlite.org/pragma.html#pragma_trusted_schema>.
        public static let innocuous = Options(rawValue: SQLITE_INNOCUOUS)

        /// `SQLITE_SUBTYPE`: the function looks at the subtypes of its arguments. See ``Subtyped``.
        public static let readsSubtypes = Options(rawValue: SQLITE_SUBTYPE)

        /// `SQLITE_RESULT_SUBTYPE`: the function returns a subtype. Without this option it is an error when it does.
        /// See ``Subtyped``.
        public static let returnsSubtype = Options(rawValue: SQLITE_RESULT_SUBTYPE)
    }
}
