import AmalgamCore

/// The execution plan of a statement: the result of `EXPLAIN QUERY PLAN`, as a tree.
///
/// ```swift
/// let plan = try db.queryPlan(sql: "SELECT * FROM player WHERE name = ? ORDER BY score")
/// print(plan)
/// // QUERY PLAN
/// // |--SEARCH player USING INDEX player_on_name (name=?)
/// // `--USE TEMP B-TREE FOR ORDER BY
/// plan.usesIndex("player_on_name")   // true
/// plan.scans(table: "player")        // false
/// plan.sorts                         // true
/// ```
///
/// The descriptions of the steps come from SQLite, and are intended for people. They may change in any version of
/// SQLite: <https://sqlite.org/eqp.html>. A test should use the properties of a plan, and not compare strings.
public struct QueryPlan: Hashable, Sendable {
    /// The roots of the tree.
    public let nodes: [Node]

    /// A step of the plan.
    ///
    /// ```swift
    /// for node in try db.queryPlan(sql: "SELECT * FROM player").allNodes {
    ///     print(node.detail)   // SCAN player
    /// }
    /// ```
    public struct Node: Hashable, Sendable {
        /// The number of the step, unique in a plan.
        public let id: Int

        /// SQLite's description of the step: `SEARCH player USING INDEX player_on_name (name=?)`.
        public let detail: String

        /// The kind of the step.
        public let kind: Kind

        /// The substeps.
        public fileprivate(set) var children: [Node] = []

        init(id: Int, detail: String) {
            self.id = id
            self.detail = detail
            kind = Kind(detail)
        }

        /// The table that the step reads, or its alias in the query; nil if it reads none.
        public var tableName: String? {
            switch kind {
            case .scan(let access), .search(let access): access.tableName
            default: nil
            }
        }

        /// The named index that the step uses; nil if there is none.
        public var indexName: String? { access?.indexName }

        /// Whether the step uses a covering index, and doesn't read the table.
        public var isCovering: Bool { access?.isCovering ?? false }

        /// The number of rows estimated by the planner, in builds with `SQLITE_EXPLAIN_ESTIMATED_ROWS`.
        public var estimatedRowCount: Int? { access?.estimatedRowCount }

        var access: Access? {
            switch kind {
            case .scan(let access), .search(let access): access
            default: nil
            }
        }
    }

    /// The kind of a step.
    ///
    /// ```swift
    /// if case .scan(let access) = plan.nodes[0].kind {
    ///     print("full scan of \(access.tableName)")
    /// }
    /// ```
    public enum Kind: Hashable, Sendable {
        /// A scan of all rows of a table, or of all entries of an index: `SCAN player`.
        case scan(Access)
        /// A search of rows by key: `SEARCH player USING INDEX player_on_name (name=?)`.
        case search(Access)
        /// A temporary B-tree for `ORDER BY`, `GROUP BY`, `DISTINCT`, …: `USE TEMP B-TREE FOR ORDER BY`.
        case temporaryBTree(purpose: String)
        /// A subquery: `SCALAR SUBQUERY 1`, `CORRELATED LIST SUBQUERY 2`.
        case subquery
        /// A view or subquery that runs as a coroutine, and returns its rows one by one: `CO-ROUTINE x`.
        case coroutine(String)
        /// A view or subquery that is computed first: `MATERIALIZE x`.
        case materialization(String)
        /// A compound SELECT: `COMPOUND QUERY`, `UNION ALL`, `MERGE (UNION)`.
        case compound
        /// A search with several indexes for the terms of an OR: `MULTI-INDEX OR`.
        case multiIndexOr
        /// A Bloom filter that excludes rows early: `BLOOM FILTER ON player`.
        case bloomFilter
        /// Any other step.
        case other
    }

    /// The access to a table.
    ///
    /// ```swift
    /// let plan = try db.queryPlan(sql: "SELECT * FROM player WHERE id = 1")
    /// if case .search(let access) = plan.nodes[0].kind {
    ///     print(access.tableName, access.usesPrimaryKey)   // player true
    /// }
    /// ```
    public struct Access: Hashable, Sendable {
        /// The name of the table, or its alias in the query.
        public let tableName: String
        /// The name of the index; nil for automatic indexes, and for primary keys.
        public internal(set) var indexName: String?
        /// Whether the index is covering: it contains all columns that the query reads.
        public internal(set) var isCovering = false
        /// Whether SQLite creates an automatic index for this statement, which suggests that an index is missing.
        public internal(set) var isAutomatic = false
        /// Whether rows are found by rowid, or by the primary key of a `WITHOUT ROWID` table.
        public internal(set) var usesPrimaryKey = false
        /// The plan chosen by a virtual table: `0:M1`.
        public internal(set) var virtualTablePlan: String?
        /// The constraint of the search, as described by SQLite: `name=? AND score>?`.
        public internal(set) var constraint: String?
        /// The number of rows estimated by the planner, in builds with `SQLITE_EXPLAIN_ESTIMATED_ROWS`.
        public internal(set) var estimatedRowCount: Int?
    }

    /// Creates a plan from the rows of `EXPLAIN QUERY PLAN`, which contain the id of their parent.
    init(rows: [(id: Int, parent: Int, detail: String)]) {
        func nodes(below parent: Int, depth: Int) -> [Node] {
            guard depth < 1000 else { return [] }
            return rows.filter { $0.parent == parent && $0.id != parent }.map { row in
                var node = Node(id: row.id, detail: row.detail)
                node.children = nodes(below: row.id, depth: depth + 1)
                return node
            }
        }
        self.nodes = nodes(below: 0, depth: 0)
    }
}

// MARK: - Questions

extension QueryPlan {
    /// All steps in preorder: each step precedes its substeps.
    public var allNodes: [Node] {
        func flattened(_ nodes: [Node]) -> [Node] { nodes.flatMap { [$0] + flattened($0.children) } }
        return flattened(nodes)
    }

    /// Returns whether a step uses the given index.
    ///
    /// ```swift
    /// plan.usesIndex("player_on_name")   // true
    /// ```
    public func usesIndex(_ name: String) -> Bool {
        allNodes.contains { $0.indexName?.equalsIgnoringCase(name) == true }
    }

    /// Returns whether the plan scans all rows of a table, or all entries of one of its indexes.
    ///
    /// ```swift
    /// plan.scans(table: "player")   // false
    /// ```
    ///
    /// - Parameter table: the name of the table, or its alias if the query has one.
    public func scans(table: String) -> Bool {
        allNodes.contains { node in
            if case .scan = node.kind { node.tableName?.equalsIgnoringCase(table) == true } else { false }
        }
    }

    /// Returns whether the plan searches rows of a table by key.
    ///
    /// ```swift
    /// plan.searches(table: "player")   // true
    /// ```
    ///
    /// - Parameter table: the name of the table, or its alias if the query has one.
    public func searches(table: String) -> Bool {
        allNodes.contains { node in
            if case .search = node.kind { node.tableName?.equalsIgnoringCase(table) == true } else { false }
        }
    }

    /// Whether rows are sorted for `ORDER BY`, because no index returns them in this order.
    public var sorts: Bool { usesTemporaryBTree(for: "ORDER BY") }

    /// Returns whether the plan uses a temporary B-tree for the given purpose: `ORDER BY`, `GROUP BY`, `DISTINCT`.
    ///
    /// ```swift
    /// plan.usesTemporaryBTree(for: "GROUP BY")   // false
    /// ```
    public func usesTemporaryBTree(for purpose: String) -> Bool {
        allNodes.contains { node in
            if case .temporaryBTree(let actual) = node.kind { actual.contains(purpose) } else { false }
        }
    }

    /// Whether SQLite creates an automatic index for this statement, which suggests that an index is missing.
    public var usesAutomaticIndex: Bool { allNodes.contains { $0.access?.isAutomatic == true } }
}

// MARK: - Text

extension QueryPlan: CustomStringConvertible {
    /// The tree, in the format of SQLite's command-line shell.
    public var description: String {
        (["QUERY PLAN"] + Self.lines(nodes, indentation: "")).joined(separator: "\n")
    }

    private static func lines(_ nodes: [Node], indentation: String) -> [String] {
        nodes.enumerated().flatMap { index, node in
            let isLast = index == nodes.count - 1
            let line = indentation + (isLast ? "`--" : "|--") + node.detail
            return [line] + lines(node.children, indentation: indentation + (isLast ? "   " : "|  "))
        }
    }
}
