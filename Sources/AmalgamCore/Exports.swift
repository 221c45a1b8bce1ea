// The lower modules whose types are part of this module's interface: who imports this one sees them.
@_exported public import AmalgamCursors
@_exported public import AmalgamDates
@_exported public import AmalgamEngine
