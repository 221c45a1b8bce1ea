extension SQLArray: SQLNode {
    package var isAtom: Bool { true }

    /// `carray(?)`; `(1, 2, 3)` where SQLite accepts no parameter.
    package func write(to writer: inout SQLWriter) throws {
        if let defect { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: defect) }
        if writer.acceptsArguments {
            try writer.append(sql: "carray(?)", arguments: [self])
        } else {
            let values = storage.values.map(\.sqlLiteral)
            writer.append(values.isEmpty ? "(SELECT NULL WHERE NULL)" : "(" + values.joined(separator: ",") + ")")
        }
    }
}

extension SQLInterpolation {
    /// `IN \(array: [1, 2, 3])`: `IN carray(?)`, one argument for any number of values.
    ///
    /// The SQL is the same whatever the number of values, so that the statement is compiled once. Compare with
    /// `\([1, 2, 3])`, which becomes `(?,?,?)`.
    public mutating func appendInterpolation<S: Sequence>(array values: S) where S.Element: DatabaseValueConvertible {
        append(SQLArray(values))
    }
}
