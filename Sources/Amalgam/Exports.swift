@_exported public import AmalgamConcurrency
@_exported public import AmalgamCore
@_exported public import AmalgamDump
@_exported public import AmalgamMigrations
@_exported public import AmalgamObservation
@_exported public import AmalgamQuery
@_exported public import AmalgamRecords
