/// Takes the place of a node that is nested more deeply than SQLite accepts. The node is dropped, so that no tree is too
/// deep for the stack of a thread when it is written, or released. ``SQLExpression``, ``SQLSelection``, ``SQLOrdering``
/// and subqueries each limit the depth of their tree, so that no tree grows without one of them.
package struct TooDeepNode: SQLNode {
    /// The limit of SQLite: <https://sqlite.org/limits.html#max_expr_depth>.
    package static let maximumDepth = 1000

    /// The levels that a subquery adds to its content: a thread needs more of its stack to release it than for an operator.
    package static let subqueryDepth = 4

    package init() {}

    package var isAtom: Bool { true }

    package var nestedNodes: [any SQLNode] { [] }

    /// - Throws: The error that SQLite reports for such an expression.
    package func write(to writer: inout SQLWriter) throws { throw Self.error }

    /// The error that SQLite reports for an expression that is too deep.
    package static var error: DatabaseError {
        DatabaseError(message: "Expression tree is too large (maximum depth \(maximumDepth))")
    }
}

/// Tells when nested calls have taken too much stack.
struct StackUse {
    /// The bytes that any thread has. The bounds of the stack are looked up when the calls have taken more.
    private static let unchecked: UInt = 128 << 10

    /// The bytes that must remain. From the smallest stacks, with 512 KB, the calls take 320 KB.
    private static let reserve: UInt = 192 << 10

    /// The bytes that the calls may take where the platform doesn't tell the bounds of the stack.
    private static let maximum: UInt = 320 << 10

    private let start = Self.address
    private var space = StackSpace()

    @inline(never)
    private static var address: UInt {
        var local = 0
        return withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
    }

    /// Whether nested calls have taken too much.
    var isLarge: Bool {
        mutating get {
            let address = Self.address
            let use = max(address, start) - min(address, start)
            if use <= Self.unchecked { return false }
            return space.remaining().map { $0 < Self.reserve } ?? (use > Self.maximum)
        }
    }
}

extension SQLNode {
    /// The depth of the tree of nodes, which is 1 for a node that contains no other one. It is only computed up to the
    /// first number that is too large, without recursion.
    package var depth: Int {
        if let storedDepth { return storedDepth }
        var level = nestedNodes
        var (depth, deepest) = (1, 1)
        while !level.isEmpty, depth <= TooDeepNode.maximumDepth {
            depth += 1
            var next: [any SQLNode] = []
            for node in level {
                if let storedDepth = node.storedDepth {
                    deepest = max(deepest, depth - 1 + storedDepth)
                } else {
                    next += node.nestedNodes
                }
            }
            level = next
        }
        return max(depth, deepest)
    }

    /// The node, or the node that fails in its place if it is nested too deeply.
    var limited: any SQLNode { depth > TooDeepNode.maximumDepth ? TooDeepNode() : self }
}
