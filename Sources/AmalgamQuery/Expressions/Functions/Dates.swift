public import AmalgamCore

// The date functions of SQLite: <https://sqlite.org/lang_datefunc.html>. They read what Swift dates are stored as, and
// `"now".databaseValue`, in Universal Time.

/// A date and time: `DATETIME("creation", 'start of day')` is `2024-05-30 00:00:00`.
///
/// ```swift
/// Player.select { dateTime($0.creation, .hour(2)) }
/// // SELECT DATETIME("creation", '2 hours') FROM "player"
/// ```
public func dateTime(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("DATETIME", value, modifiers)
}

/// The number of days since noon of November 24, -4713: `JULIANDAY("creation", '1 days')`.
///
/// The difference of two of them is a duration in days.
public func julianDay(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("JULIANDAY", value, modifiers)
}

/// A date without time: `DATE("creation")` is `2024-05-30`.
public func date(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("DATE", value, modifiers)
}

/// A time without date: `TIME("creation")` is `14:30:00`.
public func time(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("TIME", value, modifiers)
}

/// The number of seconds since 1970: `UNIXEPOCH("creation")`.
public func unixEpoch(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("UNIXEPOCH", value, modifiers)
}

/// A date in any format.
///
/// ```swift
/// Player.select { [strftime("%Y-%m", $0.creation), count()] }.group { strftime("%Y-%m", $0.creation) }
/// // SELECT STRFTIME('%Y-%m', "creation"), COUNT(*) FROM "player" GROUP BY STRFTIME('%Y-%m', "creation")
/// ```
public func strftime(
    _ format: String, _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    SQLFunction("STRFTIME")([format, value] + modifiers)
}

/// The time from the second date to the first one: `TIMEDIFF("end", "start")` is `+0000-01-02 03:04:05.000`.
public func timeDifference(_ end: some SQLSpecificExpressible, _ start: some SQLSpecificExpressible) -> SQLExpression {
    SQLFunction("TIMEDIFF")(end, start)
}

/// "now", and time zones, change: these functions do not depend on their arguments only.
private func call(
    _ name: String, _ value: some SQLSpecificExpressible, _ modifiers: [SQLDateModifier]
) -> SQLExpression {
    SQLFunction(name)([value] + modifiers)
}
