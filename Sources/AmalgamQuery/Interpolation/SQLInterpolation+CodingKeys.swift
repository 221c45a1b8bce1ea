public import AmalgamCore

// A coding key may be a column as well: what takes coding keys only is disfavoured.

extension SQLInterpolation {
    /// `\(CodingKeys.name)`: the column with the name of a coding key.
    ///
    /// ```swift
    /// let query: SQL = "SELECT \(CodingKeys.name) FROM player"
    /// // SELECT "name" FROM player
    /// ```
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: some CodingKey) {
        append(ColumnNode(name: key.stringValue))
    }

    /// `\(key)`: the column with the name of any coding key.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: any CodingKey) {
        append(ColumnNode(name: key.stringValue))
    }
}
