import AmalgamCore

/// The order of the rows of a relation.
struct Ordering: Sendable {
    private enum Terms {
        case terms(Deferred<[SQLOrdering]>)

        /// The terms that make the order unique: the primary key, or all columns.
        case stable
    }

    private struct Part {
        var terms: Terms
        var isReversed = false

        var isStable: Bool { if case .stable = terms { true } else { false } }
    }

    private var parts: [Part] = []

    /// Whether the orders of the joined tables are reversed, including those that are joined later.
    private(set) var reversesJoins = false

    var isEmpty: Bool { parts.isEmpty }

    /// Creates an empty ordering.
    init() {}

    /// Creates an ordering from terms.
    init(_ terms: Deferred<[SQLOrdering]>) {
        parts = [Part(terms: .terms(terms))]
    }

    /// Reverses the order, and the orders of the joined tables. An empty ordering reverses those of the joined tables.
    mutating func reverse() {
        for index in parts.indices { parts[index].isReversed.toggle() }
        reversesJoins.toggle()
    }

    /// Appends terms that make the order unique.
    mutating func stabilise() {
        if !isStable { parts.append(Part(terms: .stable)) }
    }

    /// The terms that no closure computes.
    var knownTerms: [SQLOrdering] {
        parts.flatMap { part -> [SQLOrdering] in
            guard case .terms(let terms) = part.terms else { return [] }
            return terms.known ?? []
        }
    }

    /// Whether the order is unique.
    var isStable: Bool { parts.contains(where: \.isStable) }

    /// Returns the ordering terms.
    ///
    /// - Parameters:
    ///   - isReversed: Whether the table is joined to a table whose order is reversed.
    ///   - stableTerms: Returns the terms that make the order unique.
    func terms(
        _ db: Database, isReversed: Bool, stableTerms: () throws -> [SQLOrdering]
    ) throws -> [SQLOrdering] {
        try parts.flatMap { part in
            let terms =
                switch part.terms {
                case .terms(let terms): try terms.resolve(db)
                case .stable: try stableTerms()
                }
            return part.isReversed != isReversed ? terms.map(\.reversed) : terms
        }
    }
}
