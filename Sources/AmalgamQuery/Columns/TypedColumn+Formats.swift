import AmalgamCore

// Arithmetic of columns that store their numbers in a format, such as cents. SQL computes with stored numbers: a sum of
// cents is a number of cents, and a product of cents is nothing. So products are errors of the statement. Those of columns
// that macros declare don't compile: see Represented.swift.

extension TypedColumn where Value: SQLNumericValue {
    /// The column as an operand that is multiplied, divided, or negated. Writing it throws if the column has a format.
    var number: SQLExpression { format == nil ? sqlExpression : misuse }

    /// The column as an operand that is added. Writing it throws if the format doesn't store sums as sums.
    var addend: SQLExpression { format?.isLinear ?? true ? sqlExpression : misuse }

    /// The column as an operand that is added to another one. Writing it throws if only one of them has a format.
    func addend<Other>(with other: TypedColumn<Other>) -> SQLExpression {
        (format == nil) == (other.format == nil) ? addend : misuse
    }

    /// Returns a sum, which is compared with values in the format of the column.
    func formatted(_ sum: SQLExpression) -> SQLExpression { carryingFormat(sum) }

    private var misuse: SQLExpression { SQLExpression(node: FormatMisuse(column: name)) }
}

extension StoredFormat where Value: SQLNumericValue {
    /// Whether the stored form of a sum is the sum of the stored forms, as far as the stored form of 0 tells.
    var isLinear: Bool {
        guard let zero = Value.fromDatabaseValue(0.databaseValue) else { return false }
        return Double.fromDatabaseValue(encode(zero)) == 0
    }
}

/// An operand whose stored form SQL can't compute with.
struct FormatMisuse: SQLNode {
    let column: String

    func write(to writer: inout SQLWriter) throws {
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The column '\(column)' stores its numbers in a format of its own, with which SQL can't compute. Compute in \
                Swift, or with the stored numbers: Column("\(column)").
                """)
    }
}
