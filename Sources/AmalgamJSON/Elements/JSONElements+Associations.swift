public import AmalgamQuery

extension Table {
    /// Returns an association that joins each row with the elements in a JSON column.
    ///
    /// ```swift
    /// let players = Table("player")
    /// players.including(required: players.association(to: JSONColumn("tags").each))
    /// // SELECT "player".*, "json_each".* FROM "player" JOIN json_each("player"."tags")
    /// ```
    ///
    /// The columns of the element are in the scope `element` of the row. `forKey(_:)` changes the name of the scope.
    public func association(to elements: JSONElements) -> JoinAssociation<RowDecoder, JSONElement> {
        JoinAssociation(to: elements.source, key: "element")
    }
}

extension TableRecord {
    /// Returns an association that joins each row with the elements in a JSON column.
    ///
    /// ```swift
    /// Player.including(required: Player.association(to: JSONColumn("tags").each))
    /// // SELECT "player".*, "json_each".* FROM "player" JOIN json_each("player"."tags")
    /// ```
    public static func association(to elements: JSONElements) -> JoinAssociation<Self, JSONElement> {
        JoinAssociation(to: elements.source, key: "element")
    }

    /// Returns an association that joins each row with the elements in a JSON column.
    ///
    /// ```swift
    /// let tag = TableAlias<JSONElement>()
    /// Player.joining(required: Player.association(to: \.tags.each).aliased(tag))
    ///     .select(tag.value, count())
    ///     .group(tag.value)
    /// // SELECT "json_each"."value", COUNT(*) FROM "player" JOIN json_each("player"."tags")
    /// // GROUP BY "json_each"."value"
    /// ```
    ///
    /// `joining(optional:)` also fetches rows without elements.
    public static func association(
        to elements: (DatabaseComponents) throws -> JSONElements
    ) rethrows -> JoinAssociation<Self, JSONElement> {
        association(to: try elements(databaseComponents))
    }
}
