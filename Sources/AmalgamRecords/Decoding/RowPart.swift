import AmalgamCore

/// A scope of a row: a group of columns to which a ``RowAdapter`` has given a name, such as the columns of a to-one
/// association.
///
/// If the row is attached to a statement, the scope is a `Row` object that is attached to the same statement. This
/// object is reused for the next rows of the statement, unless a record retains the object.
final class RowPart {
    private let layout: RowLayout
    private let name: String

    @exclusivity(unchecked)  // Rows are used from one thread, and the scope is never modified while it is read.
    private var row: Row?

    /// Finds the nearest scope with this name in the layout of the rows, breadth first. Returns nil if there is none.
    init?(named name: String, in layout: RowLayout?) {
        guard let part = layout?.part(named: name) else { return nil }
        self.name = name
        self.layout = part
    }

    /// Calls a closure with the scope of a row.
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
    /// Calls a closure with the nearest scope of the given name, or with nil.
    func withPart<T>(named name: String, _ body: (Row?) throws -> T) rethrows -> T {
        guard layout != nil, let plans = plans ?? makePlans() else { return try body(scopesTree[name]) }
        guard let part = plans.part(named: name, in: layout) else { return try body(nil) }
        return try part.with(self, body)
    }
}
