import AmalgamCore

// Operands of columns that store their values in a format, such as cents or JSON. SQL computes with stored values: a sum of
// cents is a number of cents, and a product of cents is nothing. Where the compiler doesn't know, the operand is an error
// of the statement. See also Represented.swift and StoredFormat+Samples.swift.

extension TypedColumn where Value: SQLNumericValue {
    /// The column as an operand that is multiplied, divided, or negated. Writing it throws if the column has a format.
    var number: SQLExpression { format == nil ? sqlExpression : misuse(.numbers) }

    /// The column as an operand of an average or a median. Writing it throws if a format doesn't store numbers as numbers,
    /// or if the result, which is a `Double`, isn't a value of the format.
    var averaged: SQLExpression {
        guard let format else { return sqlExpression }
        let isReal = Value.self == Double.self || Value.self == Double?.self
        return isReal && format.storesNumbers ? sqlExpression : misuse(.numbers)
    }

    /// The column as an operand of a total.
    var totalled: SQLExpression { format?.isLinear ?? true ? averaged : misuse(.numbers) }

    /// The column as an operand of a percentile.
    var ranked: SQLExpression { format?.keepsOrder ?? true ? averaged : misuse(.order) }

    /// Returns a sum, which is compared with values in the format of the column.
    func formatted(_ sum: SQLExpression) -> SQLExpression { carryingFormat(sum) }
}

extension TypedColumn {
    /// The column as an operand that is added. Writing it throws if the format doesn't store sums as sums.
    var addend: SQLExpression { format?.isLinear ?? true ? sqlExpression : misuse(.numbers) }

    /// The column as an operand whose absolute value is computed. Writing it throws if the format doesn't store the
    /// absolute value as one.
    var magnitude: SQLExpression { format?.keepsOrder ?? true ? addend : misuse(.numbers) }

    /// The column as an operand of a function of strings. Writing it throws if the format doesn't store the text.
    var text: SQLExpression { format?.storesText ?? true ? sqlExpression : misuse(.strings) }

    /// The column as an operand whose order counts, as `ordered` without the collation of decimals. Writing it throws if
    /// the stored forms have a different order.
    var sorted: SQLExpression { format?.keepsOrder ?? true ? sqlExpression : misuse(.order) }

    func misuse(_ operation: FormatMisuse.Operation) -> SQLExpression {
        SQLExpression(node: FormatMisuse(column: name, operation: operation))
    }
}

/// An operand whose stored form SQL can't compute with.
struct FormatMisuse: SQLNode {
    /// What SQL can't do.
    enum Operation {
        case numbers
        case strings
        case order
        case formats
        case rounding
        case array
        case selection
    }

    let column: String
    let operation: Operation

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        let (problem, cure) =
            switch operation {
            case .numbers:
                (
                    "its numbers in a format of its own, with which SQL can't compute",
                    "Compute in Swift, or with the stored numbers"
                )
            case .strings:
                (
                    "its strings in a format of its own, which SQL's functions can't read",
                    "Compute in Swift, or with the stored strings"
                )
            case .order:
                (
                    "its values in a format of its own, which SQL sorts in a different order",
                    "Compare and sort in Swift, or use the stored values"
                )
            case .formats:
                (
                    "its values in a different format than the other operand",
                    "Compute in Swift, or with the stored values"
                )
            case .rounding:
                (
                    "its numbers in a format that rounds the other operand",
                    "Round it in Swift, or compute with the stored numbers"
                )
            case .array:
                (
                    "its values in a format of its own, which the values of an SQLArray don't have",
                    "Use an Array in place of the SQLArray, or an SQLArray of stored values"
                )
            case .selection:
                (
                    "its values in a format of its own, with which the selected values aren't decoded",
                    "Decode rows with row[column], or select the stored values"
                )
            }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "The column '\(column)' stores \(problem). \(cure): Column(\"\(column)\").")
    }
}
