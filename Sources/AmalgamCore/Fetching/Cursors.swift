// Rows are read with cursors, so an import of the connection includes them.
@_exported public import AmalgamCursors
