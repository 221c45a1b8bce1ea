public import AmalgamQuery

/// The typed columns of a type that a record embeds, in a table that has an alias.
///
/// ```
/// @Record("customer")
/// struct Customer {
///     @Key var id: Int64?
///     @Embedded(prefix: "home_") var home: Address
/// }
///
/// let other = TableAlias<Customer>(name: "other")
/// let neighbors = Customer.aliased(other).filter { _ in other.home.city == "Oslo" }
/// // SELECT "other"."id", "other"."home_street", "other"."home_city" FROM "customer" "other"
/// // WHERE "other"."home_city" = 'Oslo'
/// ```
@dynamicMemberLookup
public struct AliasedColumns<Columns> {
    private let alias: TableAliasBase
    private let columns: Columns

    fileprivate init(_ alias: TableAliasBase, _ columns: Columns) {
        self.alias = alias
        self.columns = columns
    }

    /// A column.
    public subscript<Value>(dynamicMember path: KeyPath<Columns, TypedColumn<Value>>) -> TypedColumn<Value> {
        alias[columns[keyPath: path]]
    }

    /// The columns of a type that the type embeds.
    public subscript<Inner: _EmbeddedColumns>(
        dynamicMember path: KeyPath<Columns, Inner>
    ) -> AliasedColumns<Inner> { AliasedColumns<Inner>(alias, columns[keyPath: path]) }

    /// The columns of a type that a property of the type embeds if it isn't nil.
    public subscript<Inner>(
        dynamicMember path: KeyPath<Columns, OptionalColumns<Inner>>
    ) -> AliasedColumns<OptionalColumns<Inner>> {
        AliasedColumns<OptionalColumns<Inner>>(alias, columns[keyPath: path])
    }
}

extension AliasedColumns: Sendable where Columns: Sendable {}

extension TableAlias where RowDecoder: TableRecord {
    /// Returns the typed columns of a type that the record embeds: `customer.home.city`.
    public subscript<Columns: _EmbeddedColumns>(
        dynamicMember path: KeyPath<DatabaseComponents, Columns>
    ) -> AliasedColumns<Columns> { AliasedColumns(self, RowDecoder.databaseComponents[keyPath: path]) }

    /// Returns the typed columns of a type that the record embeds if the property isn't nil: `customer.work.city`.
    public subscript<Columns>(
        dynamicMember path: KeyPath<DatabaseComponents, OptionalColumns<Columns>>
    ) -> AliasedColumns<OptionalColumns<Columns>> { AliasedColumns(self, RowDecoder.databaseComponents[keyPath: path]) }
}
