// Fetching methods return cursors, so importing this module also imports the module that declares cursors.
@_exported public import AmalgamCursors
