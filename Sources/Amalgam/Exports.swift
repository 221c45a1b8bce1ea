@_exported public import AmalgamAudit
@_exported public import AmalgamConcurrency
@_exported public import AmalgamCore
@_exported public import AmalgamDump
@_exported public import AmalgamJSON
@_exported public import AmalgamMigrations
@_exported public import AmalgamQuery
@_exported public import AmalgamRecords
