public import AmalgamCore
public import AmalgamInspection

/// Decodes rows of `PRAGMA table_xinfo`: `try ColumnInfo.fetchAll(db, sql: "PRAGMA table_xinfo(player)")`.
extension ColumnInfo: FetchableRecord {}

/// Decodes rows of `PRAGMA foreign_key_check`: `try ForeignKeyViolation.fetchAll(db, sql: "PRAGMA foreign_key_check")`.
extension ForeignKeyViolation: FetchableRecord {}
