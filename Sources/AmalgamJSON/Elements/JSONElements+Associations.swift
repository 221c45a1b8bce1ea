public import AmalgamQuery

extension Table {
    /// An association to the elements of JSON in a column: each row belongs to all its elements.
    ///
    /// ```swift
    /// let players = Table("player")
    /// players.including(required: players.association(to: JSONColumn("tags").each))
    /// // SELECT "player".*, "json_each".* FROM "player" JOIN json_each("player"."tags")
    /// ```
    ///
    /// The part of the row is named `element`; `forKey(_:)` gives another name.
    public func association(to elements: JSONElements) -> JoinAssociation<RowDecoder, JSONElement> {
        JoinAssociation(to: elements.source, key: "element")
    }
}

extension TableRecord {
    /// An association to the elements of JSON in a column: each row belongs to all its elements.
    public static func association(to elements: JSONElements) -> JoinAssociation<Self, JSONElement> {
        JoinAssociation(to: elements.source, key: "element")
    }

    /// An association to the elements of JSON in a column: each row belongs to all its elements.
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
    /// With `joining(optional:)`, rows without element are there as well.
    public static func association(
        to elements: (DatabaseComponents) throws -> JSONElements
    ) rethrows -> JoinAssociation<Self, JSONElement> {
        association(to: try elements(databaseComponents))
    }
}
