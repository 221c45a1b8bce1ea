import AmalgamCore

// SQLite's extension for decimals: <https://sqlite.org/floatingpoint.html#decext>. Its collation compares TEXT values as
// decimal numbers, its functions compute with them exactly.

extension SQLNode {
    /// The node, compared as a decimal number: `"price" COLLATE decimal`.
    var collatedAsDecimal: any SQLNode {
        SQLiteBuild.hasDecimals ? CollatedNode(node: self, collation: "decimal") : MissingDecimals()
    }
}

/// A call of a function of decimals: `decimal_add("price", '1')`.
func decimals(_ name: String, _ arguments: any SQLNode...) -> any SQLNode {
    guard SQLiteBuild.hasDecimals else { return MissingDecimals() }
    let arguments = arguments.map { SQLExpression(node: $0) }
    return SQLFunctionCall(builtIn: name, isPure: true, isScalar: true, arguments: arguments)
}

/// An expression that this SQLite can't compute.
struct MissingDecimals: SQLNode {
    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        throw DatabaseError(
            resultCode: .SQLITE_ERROR,
            message: """
                This SQLite has no decimal numbers: it was built from an archive without ext/misc/decimal.c. Run \
                scripts/bootstrap with SQLite's source tree (not with --origin pypi), or compare and add decimals in Swift.
                """)
    }
}
