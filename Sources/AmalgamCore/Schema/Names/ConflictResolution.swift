extension Database {
    /// What happens when a constraint fails: <https://sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// The transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The changes of the statement are undone. The default.
        case abort = "ABORT"
        /// The statement stops, and the changes it made so far stay.
        case fail = "FAIL"
        /// The row is skipped.
        case ignore = "IGNORE"
        /// Rows that are in the way are deleted.
        case replace = "REPLACE"
    }

    /// What happens to rows whose parent is deleted or gets another key:
    /// <https://sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// The rows are deleted, or get the new key of their parent.
        case cascade = "CASCADE"
        /// The change of the parent fails, at once.
        case restrict = "RESTRICT"
        /// The columns of the foreign key become NULL.
        case setNull = "SET NULL"
        /// The columns of the foreign key get their default values.
        case setDefault = "SET DEFAULT"
    }
}
