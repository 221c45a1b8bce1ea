import AmalgamCore
public import AmalgamQuery

extension TableAliasBase {
    /// The JSON expression, with its columns qualified by the table alias.
    ///
    /// ```swift
    /// let player = TableAlias<Player>()
    /// player[JSONColumn("info")]["score"]   // "player"."info" ->> 'score'
    /// ```
    public subscript(expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
        AnySQLJSONExpressible(sqlExpression: self[expression.sqlExpression], valueEncoder: expression.valueEncoder)
    }
}

extension TableAlias where RowDecoder: TableRecord {
    /// A JSON column of the aliased table, by its name in the record: `player.info["score"]`.
    public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> AnySQLJSONExpressible
    where T: SQLJSONExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }
}
