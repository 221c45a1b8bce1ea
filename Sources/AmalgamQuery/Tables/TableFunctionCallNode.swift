package import AmalgamCore

/// A call of a table-valued function in a FROM clause: `json_each("player"."tags")`.
///
/// The arguments may contain columns of the table to the left of the JOIN, and columns of the outer statement. See
/// <https://sqlite.org/vtab.html#tabfunc2>.
package protocol TableFunctionCallNode: SQLSource {
    /// Writes the call. Columns in its arguments belong to the table on the left of the JOIN.
    func write(to writer: inout SQLWriter) throws
}

extension QueryInterfaceRequest {
    /// Creates a request for all rows of a source.
    package init(allRowsOf source: any SQLSource) {
        self.init(Relation(source, selection: [AllColumns().sqlSelection]))
    }
}

extension JoinAssociation {
    /// Creates an association to all rows of a table-valued function.
    ///
    /// - Parameter key: the name of the association.
    package init(to source: any TableFunctionCallNode, key: String) {
        self.init(
            AssociationPath(
                AssociationPath.Step(
                    key: .fixedSingular(key), condition: .none,
                    relation: Relation(source, selection: [AllColumns().sqlSelection]), isToOne: true)))
    }
}
