/// Limits of the time and the number of instructions that statements may take.
///
/// ```swift
/// let rows = try db.withLimits(.time(.seconds(2))) {
///     try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY random()")
/// }
/// ```
public struct ExecutionLimits: Hashable, Sendable {
    /// The maximum time, including the time of waiting for locks; nil for no limit.
    public var time: Duration?

    /// The maximum number of instructions of SQLite's virtual machine; nil for no limit.
    ///
    /// The same statement on the same data runs the same instructions on all machines. SQLite reports the instructions
    /// in steps: each step is a hundredth of the limit, but at most 1000 instructions. An incomplete step isn't
    /// counted. A simple query runs about ten instructions, and about ten more per row. See
    /// <https://sqlite.org/opcode.html>.
    public var instructions: Int?

    /// Creates limits of time and instructions. The limit that is reached first stops the statement. Nil stands for no
    /// limit.
    ///
    /// ```swift
    /// let limits = ExecutionLimits(time: .seconds(2), instructions: 10_000_000)
    /// ```
    public init(time: Duration? = nil, instructions: Int? = nil) {
        self.time = time
        self.instructions = instructions
    }

    /// No limit.
    public static let none = ExecutionLimits()

    /// Returns a limit of time.
    ///
    /// ```swift
    /// let count = try db.withLimits(.time(.milliseconds(500))) {
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
    /// }
    /// ```
    public static func time(_ time: Duration) -> ExecutionLimits { ExecutionLimits(time: time) }

    /// Returns a limit of the number of instructions.
    ///
    /// ```swift
    /// let count = try db.withLimits(.instructions(1_000_000)) {
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
    /// }
    /// ```
    public static func instructions(_ instructions: Int) -> ExecutionLimits {
        ExecutionLimits(instructions: instructions)
    }
}

/// The kind of limit that a statement exceeded: see ``DatabaseError/exceededLimit``.
public enum ExceededLimit: Hashable, Sendable {
    /// The limit of ``ExecutionLimits/time``.
    case time
    /// The limit of ``ExecutionLimits/instructions``.
    case instructions
    /// The limit of ``Sandbox/maximumRowCount``.
    case rows
}
