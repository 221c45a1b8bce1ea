public import AmalgamCore

// A coding key may also be a column, so the overloads for coding keys are disfavored.

extension SQLInterpolation {
    /// Appends the column with the name of a coding key, for `\(CodingKeys.name)`.
    ///
    /// ```swift
    /// enum CodingKeys: CodingKey { case name }
    /// let query: SQL = "SELECT \(CodingKeys.name) FROM player"
    /// // SELECT "name" FROM player
    /// ```
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: some CodingKey) {
        append(ColumnNode(name: key.stringValue))
    }

    /// Appends the column with the name of any coding key, for `\(key)`.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: any CodingKey) {
        append(ColumnNode(name: key.stringValue))
    }
}
