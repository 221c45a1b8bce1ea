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
    }

    private var parts: [Part] = []

    var isEmpty: Bool { parts.isEmpty }

    /// Creates an empty ordering.
    init() {}

    /// Creates an ordering from terms.
    init(_ terms: Deferred<[SQLOrdering]>) {
        parts = [Part(terms: .terms(terms))]
    }

    /// Reverses the order. An empty ordering doesn't change.
    mutating func reverse() {
        for index in parts.indices { parts[index].isReversed.toggle() }
    }

    /// Appends terms that make the order unique.
    mutating func stabilise() {
        let isStable = parts.contains { if case .stable = $0.terms { true } else { false } }
        if !isStable { parts.append(Part(terms: .stable)) }
    }

    /// Returns the ordering terms. A stable order may need the closure: it counts the selected columns.
    func terms(
        _ db: Database, source: any SQLSource, selectedColumnCount: () throws -> Int
    ) throws -> [SQLOrdering] {
        try parts.flatMap { part in
            let terms =
                switch part.terms {
                case .terms(let terms): try terms.resolve(db)
                case .stable: try Self.stableTerms(db, source, selectedColumnCount)
                }
            return part.isReversed ? terms.map(\.reversed) : terms
        }
    }

    private static func stableTerms(
        _ db: Database, _ source: any SQLSource, _ selectedColumnCount: () throws -> Int
    ) throws -> [SQLOrdering] {
        if let primaryKey = try source.primaryKey(db) { return primaryKey.columns.map { Column($0).sqlOrdering } }
        return try (1...max(1, selectedColumnCount())).map { SQL(sql: String($0)).sqlOrdering }
    }
}
