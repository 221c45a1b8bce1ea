package import AmalgamCore

/// A call of a table-valued function in a FROM clause: `json_each("player"."tags")`.
///
/// The arguments may have columns of the table on the left of the JOIN, or of the statement around. See
/// <https://sqlite.org/vtab.html#tabfunc2>.
package protocol TableFunctionCallNode: SQLSource {
    /// Writes the call, where columns are those of the table on the left.
    func write(to writer: inout SQLWriter) throws
}

extension QueryInterfaceRequest {
    /// All rows of a source.
    package init(allRowsOf source: any SQLSource) {
        self.init(Relation(source, selection: [AllColumns().sqlSelection]))
    }
}

extension JoinAssociation {
    /// An association to all rows of a table-valued function.
    ///
    /// - Parameter key: the name of the rows.
    package init(to source: any TableFunctionCallNode, key: String) {
        self.init(
            AssociationPath(
                AssociationPath.Step(
                    key: .fixedSingular(key), condition: .none,
                    relation: Relation(source, selection: [AllColumns().sqlSelection]), isToOne: true)))
    }
}
