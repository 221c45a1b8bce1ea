import AmalgamCore

// Operators of two columns compare, assign or add stored values. Two columns of one Swift type may store its values in
// different formats: an operand is then an error of the statement.

extension TypedColumn {
    /// Whether another column stores values in the same format.
    ///
    /// The stored forms of a few values tell. For types without samples, the representations do.
    func hasFormat<Other>(of other: TypedColumn<Other>) -> Bool {
        if format == nil && other.format == nil { return true }
        let samples = FormatSamples(of: Value.self).compared
        if samples.isEmpty {
            return format?.traits.representation == other.format?.traits.representation && casesHaveFormat(of: other)
        }
        return samples.allSatisfy { sample in
            guard let value: Value = FormatSamples.value(of: sample.databaseValue),
                let otherValue: Other = FormatSamples.value(of: sample.databaseValue)
            else { return true }
            return storedForm(of: value) == other.storedForm(of: otherValue)
        }
    }

    /// Whether the column stores values in the usual form of their type.
    var storesUsualForms: Bool { format == nil || hasFormat(of: TypedColumn<Value>(name)) }

    /// Whether another column stores the cases of an enumeration in the same format. True for other types.
    private func casesHaveFormat<Other>(of other: TypedColumn<Other>) -> Bool {
        func cases<Enumeration: CaseIterable>(_ type: Enumeration.Type) -> Bool {
            type.allCases.allSatisfy { enumeration in
                guard let value = enumeration as? Value, let otherValue = enumeration as? Other else { return true }
                return storedForm(of: value) == other.storedForm(of: otherValue)
            }
        }
        return (withoutOptional(Value.self) as? any CaseIterable.Type).map { cases($0) } ?? true
    }

    /// The column as an operand of an operator of two columns. Writing it throws if the other column has a different format.
    func operand<Other>(like other: TypedColumn<Other>) -> SQLExpression {
        hasFormat(of: other) ? sqlExpression : misuse(.formats)
    }

    /// The column as an operand whose order counts. Writing it throws if the other column has a different format.
    func ordered<Other>(like other: TypedColumn<Other>) -> SQLExpression {
        hasFormat(of: other) ? ordered : misuse(.formats)
    }

    /// The column as an operand that is added to a second column. Writing it throws if the second column has a different
    /// format.
    func addend<Other>(like other: TypedColumn<Other>) -> SQLExpression {
        hasFormat(of: other) ? addend : misuse(.formats)
    }
}

/// Compares two columns. The compiler prefers this overload to that of any expressions.
func equality<Left, Right>(
    _ lhs: TypedColumn<Left>, _ comparison: EqualityNode.Operator, _ rhs: TypedColumn<Right>
) -> SQLExpression {
    equality(lhs.operand(like: rhs), comparison, rhs.sqlExpression)
}
