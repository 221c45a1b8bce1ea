// Rows are read with cursors: whoever imports the connection imports them.
@_exported public import AmalgamCursors
