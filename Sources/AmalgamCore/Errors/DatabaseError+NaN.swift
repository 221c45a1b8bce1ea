// SQLite stores NaN as NULL, and then its message names a column that is NULL.

extension DatabaseError {
    static var reasonOfNaN: String { "an argument is NaN, which SQLite stores as NULL" }

    /// Whether a value that is NaN can be the reason.
    package var mayComeFromNaN: Bool { extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL }

    /// Returns the error of a statement whose values were bound without ``StatementArguments``, with an explanation if one
    /// of the values is NaN.
    package func explained(by values: [DatabaseValue]) -> DatabaseError {
        guard mayComeFromNaN, values.contains(where: \.isNaN), let message, !message.hasSuffix("(\(Self.reasonOfNaN))")
        else { return self }
        return DatabaseError(
            resultCode: extendedResultCode, message: "\(message) (\(Self.reasonOfNaN))", sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments, detail: detail)
    }
}
