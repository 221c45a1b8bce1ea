extension Row {
    /// The row as the statement gave it: without the work of adapters.
    public var unadapted: Row {
        guard let layout else { return self }
        return Row(self, layout: nil, columns: layout.baseColumns)
    }

    /// The row without its scopes and prefetched rows.
    public var unscoped: Row {
        if prefetches.isEmpty && layout?.scopes.isEmpty != false { return self }
        return Row(self, layout: layout?.withoutScopes, columns: columns)
    }

    /// The parts of the row that adapters have named.
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The parts of the row, and their parts, to any depth.
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The rows fetched for associations to many.
    public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(prefetches: prefetches) }

    /// The named parts of a row.
    ///
    /// ```swift
    /// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 2)])
    /// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id, 'Anna' AS name, 7 AS id", adapter: adapter)!
    /// row.scopes["team"]   // [id:7]
    /// ```
    public struct ScopesView: Collection {
        /// A position in the scopes of a row.
        public typealias Index = Dictionary<String, any _LayoutedRowAdapter>.Index

        private let row: Row
        private let layouts: [String: any _LayoutedRowAdapter]

        init(row: Row) {
            self.row = row
            layouts = row.layout?.scopes ?? [:]
        }

        /// The names of the scopes.
        public var names: Dictionary<String, any _LayoutedRowAdapter>.Keys { layouts.keys }

        public var startIndex: Index { layouts.startIndex }

        public var endIndex: Index { layouts.endIndex }

        public func index(after i: Index) -> Index { layouts.index(after: i) }

        public subscript(position: Index) -> (name: String, row: Row) {
            let (name, layout) = layouts[position]
            return (name, row(layout, name))
        }

        /// The part with this name, or nil.
        public subscript(_ name: String) -> Row? {
            layouts[name].map { row($0, name) }
        }

        private func row(_ layout: any _LayoutedRowAdapter, _ name: String) -> Row {
            let part = Row(row, layout: layout._layout, columns: layout._layout.columns)
            part.prefetches = row.prefetches(inScope: name)
            return part
        }
    }

    /// The named parts of a row and of its parts, found breadth first.
    public struct ScopesTreeView {
        let row: Row

        /// The names of the scopes at any depth.
        public var names: Set<String> {
            row.scopes.reduce(into: []) { names, scope in
                names.insert(scope.name)
                names.formUnion(scope.row.scopesTree.names)
            }
        }

        /// The nearest part with this name, or nil.
        public subscript(_ name: String) -> Row? {
            var level = [row]
            while !level.isEmpty {
                for row in level {
                    if let found = row.scopes[name] { return found }
                }
                level = level.flatMap { $0.scopes.map(\.row) }
            }
            return nil
        }
    }

    /// The rows fetched for associations to many, by key.
    ///
    /// The rows of associations of the row come first, then those of its parts, from the nearest to the deepest.
    public struct PrefetchedRowsView: Equatable {
        private let rows: [String: PrefetchedRows]

        /// - Parameter prefetches: rows by the path of their association, `scope.scope.key`.
        init(prefetches: [String: PrefetchedRows]) {
            let paths = prefetches.map { (path: $0.key.split(separator: "."), rows: $0.value) }
            let nearestFirst = paths.sorted { ($0.path.count, $0.path.joined()) < ($1.path.count, $1.path.joined()) }
            rows = Dictionary(
                nearestFirst.map { (String($0.path.last ?? ""), $0.rows) }, uniquingKeysWith: { nearest, _ in nearest })
        }

        /// Whether nothing was fetched: not even an empty list of rows.
        public var isEmpty: Bool { rows.isEmpty }

        /// The keys of the associations.
        public var keys: Set<String> { Set(rows.keys) }

        /// The rows of an association; nil when it was not fetched.
        ///
        /// They are made now, one object each, and keep the memory of all rows that were fetched with them.
        public subscript(_ key: String) -> [Row]? { rows[key]?.rows }

        fileprivate func lent(_ key: String) -> PrefetchedRows? { rows[key] }
    }

    /// The rows of an association, for those who may not need them as rows; nil when it was not fetched.
    package func prefetchedRows(forKey key: String) -> PrefetchedRows? {
        if prefetches.isEmpty { return nil }
        if let rows = prefetches[key] { return rows }
        // Only parts have rows under a longer path.
        return prefetches.keys.contains { $0.utf8.contains(UInt8(ascii: ".")) } ? prefetchedRows.lent(key) : nil
    }

    /// Prefetched rows of scopes are kept by the whole row, under the path of the scope.
    private func prefetches(inScope name: String) -> [String: PrefetchedRows] {
        let prefix = name + "."
        var result: [String: PrefetchedRows] = [:]
        for (key, rows) in prefetches where key.hasPrefix(prefix) {
            result[String(key.dropFirst(prefix.count))] = rows
        }
        return result
    }
}
