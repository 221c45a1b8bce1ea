public import AmalgamCore
public import AmalgamInspection

/// `try ColumnInfo.fetchAll(db, sql: "PRAGMA table_xinfo(player)")`
extension ColumnInfo: FetchableRecord {}

/// `try ForeignKeyViolation.fetchAll(db, sql: "PRAGMA foreign_key_check")`
extension ForeignKeyViolation: FetchableRecord {}
