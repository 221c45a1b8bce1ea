import AmalgamCore

/// How SQLite would run a statement: the answer of `EXPLAIN QUERY PLAN`, as a tree.
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
/// The words are SQLite's, for people to read; they may change from one version to the next:
/// <https://sqlite.org/eqp.html>. A test does well to ask what matters, and not to compare texts.
public struct QueryPlan: Hashable, Sendable {
    /// The top of the tree.
    public let nodes: [Node]

    /// A step of the plan.
    public struct Node: Hashable, Sendable {
        /// The number of the step, different for all steps of a plan.
        public let id: Int

        /// The step in the words of SQLite: `SEARCH player USING INDEX player_on_name (name=?)`.
        public let detail: String

        /// What the step does.
        public let kind: Kind

        /// The steps that this one is made of.
        public fileprivate(set) var children: [Node] = []

        init(id: Int, detail: String) {
            self.id = id
            self.detail = detail
            kind = Kind(detail)
        }

        /// The table, or the alias of the query for it, that the step reads.
        public var tableName: String? {
            switch kind {
            case .scan(let access), .search(let access): access.tableName
            default: nil
            }
        }

        /// The index that the step uses, if it has a name.
        public var indexName: String? { access?.indexName }

        /// Whether the step reads an index only, and not the table.
        public var isCovering: Bool { access?.isCovering ?? false }

        /// How many rows the planner expects, in builds with `SQLITE_EXPLAIN_ESTIMATED_ROWS`.
        public var estimatedRowCount: Int? { access?.estimatedRowCount }

        var access: Access? {
            switch kind {
            case .scan(let access), .search(let access): access
            default: nil
            }
        }
    }

    /// What a step does.
    public enum Kind: Hashable, Sendable {
        /// All rows of a table, or of an index, are read.
        case scan(Access)
        /// Some rows of a table are found by a key.
        case search(Access)
        /// Rows are put into a temporary table, for `ORDER BY`, `GROUP BY`, `DISTINCT`, …
        case temporaryBTree(purpose: String)
        /// A subquery: `SCALAR SUBQUERY 1`, `CORRELATED LIST SUBQUERY 2`.
        case subquery
        /// A view or subquery runs beside the query, row by row: `CO-ROUTINE x`.
        case coroutine(String)
        /// A view or subquery is computed first: `MATERIALIZE x`.
        case materialization(String)
        /// Several SELECTs are combined: `COMPOUND QUERY`, `UNION ALL`, `MERGE (UNION)`.
        case compound
        /// Several indexes are used for the terms of an OR.
        case multiIndexOr
        /// Rows that cannot match are recognised early.
        case bloomFilter
        /// Anything else.
        case other
    }

    /// How a table is read.
    public struct Access: Hashable, Sendable {
        /// The table, or its alias in the query.
        public let tableName: String
        /// The index, if it has a name: automatic indexes and primary keys have none.
        public internal(set) var indexName: String?
        /// Whether the index holds all that is read.
        public internal(set) var isCovering = false
        /// Whether SQLite makes the index for this statement: a hint that one is missing.
        public internal(set) var isAutomatic = false
        /// Whether rows are found by rowid, or by the primary key of a table without rowid.
        public internal(set) var usesPrimaryKey = false
        /// What the virtual table has chosen: `0:M1`.
        public internal(set) var virtualTablePlan: String?
        /// The columns that are searched, in SQLite's words: `name=? AND score>?`.
        public internal(set) var constraint: String?
        /// How many rows the planner expects, in builds with `SQLITE_EXPLAIN_ESTIMATED_ROWS`.
        public internal(set) var estimatedRowCount: Int?
    }

    /// A plan made of the rows of `EXPLAIN QUERY PLAN`, which come with the number of their parent.
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
    /// All steps, each before those it is made of.
    public var allNodes: [Node] {
        func flattened(_ nodes: [Node]) -> [Node] { nodes.flatMap { [$0] + flattened($0.children) } }
        return flattened(nodes)
    }

    /// Whether a step uses this index, in any way.
    public func usesIndex(_ name: String) -> Bool {
        allNodes.contains { $0.indexName?.equalsIgnoringCase(name) == true }
    }

    /// Whether all rows of the table, or all entries of one of its indexes, are read.
    ///
    /// - Parameter table: the name that the query gives the table: its alias, where there is one.
    public func scans(table: String) -> Bool {
        allNodes.contains { node in
            if case .scan = node.kind { node.tableName?.equalsIgnoringCase(table) == true } else { false }
        }
    }

    /// Whether rows of the table are found by a key.
    ///
    /// - Parameter table: the name that the query gives the table: its alias, where there is one.
    public func searches(table: String) -> Bool {
        allNodes.contains { node in
            if case .search = node.kind { node.tableName?.equalsIgnoringCase(table) == true } else { false }
        }
    }

    /// Whether rows are sorted after they are read: no index gives them in their order.
    public var sorts: Bool { usesTemporaryBTree(for: "ORDER BY") }

    /// Whether rows go through a temporary table for a purpose: `ORDER BY`, `GROUP BY`, `DISTINCT`.
    public func usesTemporaryBTree(for purpose: String) -> Bool {
        allNodes.contains { node in
            if case .temporaryBTree(let actual) = node.kind { actual.contains(purpose) } else { false }
        }
    }

    /// Whether SQLite makes an index for this statement alone: a hint that one is missing.
    public var usesAutomaticIndex: Bool { allNodes.contains { $0.access?.isAutomatic == true } }
}

// MARK: - Text

extension QueryPlan: CustomStringConvertible {
    /// The tree, as the shell of SQLite prints it.
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
