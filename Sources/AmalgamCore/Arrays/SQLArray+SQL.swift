extension SQLArray: SQLNode {
    package var isAtom: Bool { true }

    package var nestedNodes: [any SQLNode] { [] }

    /// Writes `carray(?)`, or `(1, 2, 3)` where SQLite accepts no parameter.
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
    /// Appends an array as one argument, whatever its number of elements.
    ///
    /// ```swift
    /// let ids = [1, 2, 3]
    /// let request: SQL = "SELECT * FROM player WHERE id IN \(array: ids)"
    /// // SELECT * FROM player WHERE id IN carray(?)
    /// ```
    ///
    /// The SQL doesn't depend on the number of values, so its compiled statement can be cached. In contrast, `\(ids)`
    /// is written as `(?,?,?)`.
    public mutating func appendInterpolation<S: Sequence>(array values: S) where S.Element: DatabaseValueConvertible {
        append(SQLArray(values))
    }
}
