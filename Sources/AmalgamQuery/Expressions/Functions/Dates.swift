public import AmalgamCore

// The date functions of SQLite: <https://sqlite.org/lang_datefunc.html>. Their arguments are columns in which Swift
// dates are stored, or `"now".databaseValue`. All times are in UTC.

/// Returns a date and time: `DATETIME("creation", 'start of day')` is `2024-05-30 00:00:00`.
///
/// ```swift
/// Player.select(dateTime(Column("creation"), .hour(2)))
/// // SELECT DATETIME("creation", '2 hours') FROM "player"
/// ```
public func dateTime(_ value: some SQLOperand, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("DATETIME", value, modifiers)
}

/// Returns the Julian day, the number of days since noon of November 24, -4713: `JULIANDAY("creation", '1 days')`.
///
/// ```swift
/// Player.select(julianDay("now".databaseValue) - julianDay(Column("creation")))
/// // SELECT JULIANDAY('now') - JULIANDAY("creation") FROM "player"
/// ```
///
/// The difference between two Julian days is a duration in days.
public func julianDay(_ value: some SQLOperand, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("JULIANDAY", value, modifiers)
}

/// Returns a date without time: `DATE("creation")` is `2024-05-30`.
///
/// ```swift
/// Player.select(date(Column("creation"), .startOfMonth))
/// // SELECT DATE("creation", 'start of month') FROM "player"
/// ```
public func date(_ value: some SQLOperand, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("DATE", value, modifiers)
}

/// Returns a time without date: `TIME("creation")` is `14:30:00`.
///
/// ```swift
/// Player.select(time(Column("creation")))
/// // SELECT TIME("creation") FROM "player"
/// ```
public func time(_ value: some SQLOperand, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("TIME", value, modifiers)
}

/// Returns the number of seconds since 1970: `UNIXEPOCH("creation")`.
///
/// ```swift
/// Player.select(unixEpoch(Column("creation")))
/// // SELECT UNIXEPOCH("creation") FROM "player"
/// ```
public func unixEpoch(_ value: some SQLOperand, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("UNIXEPOCH", value, modifiers)
}

/// Returns a date in the given format: `STRFTIME`.
///
/// ```swift
/// let month = strftime("%Y-%m", Column("creation"))
/// Player.select(month, count()).group(month)
/// // SELECT STRFTIME('%Y-%m', "creation"), COUNT(*) FROM "player" GROUP BY STRFTIME('%Y-%m', "creation")
/// ```
public func strftime(
    _ format: String, _ value: some SQLOperand, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    SQLFunction("STRFTIME")([format, value] + modifiers)
}

/// Returns the time between two dates: `TIMEDIFF("end", "start")` is `+0000-01-02 03:04:05.000`.
///
/// ```swift
/// Player.select(timeDifference("now".databaseValue, Column("creation")))
/// // SELECT TIMEDIFF('now', "creation") FROM "player"
/// ```
public func timeDifference(_ end: some SQLOperand, _ start: some SQLOperand) -> SQLExpression {
    SQLFunction("TIMEDIFF")(end, start)
}

/// Calls a date function. It isn't pure, because "now" and time zones change.
private func call(
    _ name: String, _ value: some SQLOperand, _ modifiers: [SQLDateModifier]
) -> SQLExpression {
    SQLFunction(name)([value] + modifiers)
}
