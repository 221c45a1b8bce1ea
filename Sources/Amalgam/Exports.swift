@_exported public import AmalgamConcurrency
@_exported public import AmalgamCore
