import AmalgamCore

/// A part of rows that an adapter has named, as associations to one do.
///
/// The part of a row that moves is a row that moves along. It serves again, unless somebody keeps it.
final class RowPart {
    private let layout: RowLayout
    private let name: String

    @exclusivity(unchecked)  // Rows are used from one thread, and a part is not used while it changes.
    private var row: Row?

    /// The nearest part with this name in the layout of rows, breadth first; nil when there is none.
    init?(named name: String, in layout: RowLayout?) {
        guard let part = layout?.part(named: name) else { return nil }
        self.name = name
        self.layout = part
    }

    /// Lends the part of a row.
    func with<T>(_ whole: Row, _ body: (Row) throws -> T) rethrows -> T {
        guard let statement = whole.statement else { return try body(whole.scopesTree[name] ?? Row()) }
        if row == nil { row = Row(statement, layout: layout) }
        defer { keepRow() }
        return try body(row!)
    }

    private func keepRow() {
        if isKnownUniquelyReferenced(&row) { return }
        row?.detach()
        row = nil
    }
}

extension RowLayout {
    fileprivate func part(named name: String) -> RowLayout? {
        var level = [self]
        while !level.isEmpty {
            for layout in level {
                if let part = layout.scopes[name] { return part._layout }
            }
            level = level.flatMap { $0.scopes.values.map(\._layout) }
        }
        return nil
    }
}

extension Row {
    /// Lends the nearest part with a name, or nil.
    func withPart<T>(named name: String, _ body: (Row?) throws -> T) rethrows -> T {
        guard layout != nil, let plans = plans ?? makePlans() else { return try body(scopesTree[name]) }
        guard let part = plans.part(named: name, in: layout) else { return try body(nil) }
        return try part.with(self, body)
    }
}
