// Fetching methods return cursors, so importing this module imports theirs.
@_exported public import AmalgamCursors
