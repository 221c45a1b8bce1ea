extension Row {
    /// The row of the statement, before adapters are applied.
    public var unadapted: Row {
        guard let layout else { return self }
        return Row(self, layout: nil, columns: layout.baseColumns)
    }

    /// The row without its scopes and prefetched rows.
    public var unscoped: Row {
        if prefetches.isEmpty && layout?.scopes.isEmpty != false { return self }
        return Row(self, layout: layout?.withoutScopes, columns: columns)
    }

    /// The scopes of the row: the parts that adapters have named.
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes of the row, and the scopes of these scopes, at any depth.
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The rows fetched for to-many associations.
    public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(prefetches: prefetches) }

    /// The scopes of a row: parts that adapters have named, such as the columns of one joined table.
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

        /// The scope with this name, or nil.
        public subscript(_ name: String) -> Row? {
            layouts[name].map { row($0, name) }
        }

        private func row(_ layout: any _LayoutedRowAdapter, _ name: String) -> Row {
            let part = Row(row, layout: layout._layout, columns: layout._layout.columns)
            part.prefetches = row.prefetches(inScope: name)
            return part
        }
    }

    /// The scopes of a row and all nested scopes. A name is searched breadth first.
    ///
    /// ```swift
    /// let city = row.scopesTree["city"]   // also finds row.scopes["team"]?.scopes["city"]
    /// ```
    public struct ScopesTreeView {
        let row: Row

        /// The names of the scopes, at any depth.
        public var names: Set<String> {
            row.scopes.reduce(into: []) { names, scope in
                names.insert(scope.name)
                names.formUnion(scope.row.scopesTree.names)
            }
        }

        /// The scope with this name that is nearest to the row, or nil.
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

    /// The rows fetched for to-many associations, by association key.
    ///
    /// ```swift
    /// let players = row.prefetchedRows["players"] ?? []
    /// ```
    ///
    /// If several associations have the same key, an association of the row takes precedence over those of its scopes,
    /// and an association of an outer scope over those of nested scopes.
    public struct PrefetchedRowsView: Equatable {
        private let rows: [String: PrefetchedRows]

        /// - Parameter prefetches: the rows by the path of their association: `key`, or `scope.key` for one of a scope.
        init(prefetches: [String: PrefetchedRows]) {
            let paths = prefetches.map { (path: $0.key.split(separator: "."), rows: $0.value) }
            let nearestFirst = paths.sorted { ($0.path.count, $0.path.joined()) < ($1.path.count, $1.path.joined()) }
            rows = Dictionary(
                nearestFirst.map { (String($0.path.last ?? ""), $0.rows) }, uniquingKeysWith: { nearest, _ in nearest })
        }

        /// Whether no association was fetched. An association without rows counts as fetched.
        public var isEmpty: Bool { rows.isEmpty }

        /// The keys of the associations.
        public var keys: Set<String> { Set(rows.keys) }

        /// The rows of an association; nil if it wasn't fetched.
        ///
        /// Each use of this subscript creates new row objects. A row object retains the memory of all rows that were
        /// fetched with it.
        public subscript(_ key: String) -> [Row]? { rows[key]?.rows }

        fileprivate func lent(_ key: String) -> PrefetchedRows? { rows[key] }
    }

    /// Returns the rows of an association, without creating row objects; nil if it wasn't fetched.
    package func prefetchedRows(forKey key: String) -> PrefetchedRows? {
        if prefetches.isEmpty { return nil }
        if let rows = prefetches[key] { return rows }
        // Only the rows of scopes have a path with a period.
        return prefetches.keys.contains { $0.utf8.contains(UInt8(ascii: ".")) } ? prefetchedRows.lent(key) : nil
    }

    /// Returns the prefetched rows of a scope. The whole row stores these rows, under the path of the scope.
    private func prefetches(inScope name: String) -> [String: PrefetchedRows] {
        let prefix = name + "."
        var result: [String: PrefetchedRows] = [:]
        for (key, rows) in prefetches where key.hasPrefix(prefix) {
            result[String(key.dropFirst(prefix.count))] = rows
        }
        return result
    }
}
