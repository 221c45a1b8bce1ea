/// Limits of the time, the number of instructions and the memory that statements may take.
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

    /// The maximum number of bytes that SQLite may allocate for the connection, temporary files included; nil for no
    /// limit.
    ///
    /// The limit applies to all memory that SQLite allocates in the closure and hasn't freed: compiled statements,
    /// values, sorters, temporary tables, and databases in memory. Cached pages of files don't count, because
    /// `PRAGMA cache_size` limits them. A statement may exceed the limit by some megabytes before it stops, since SQLite
    /// needs memory to end it. While there is a limit, SQLite sorts without auxiliary threads.
    public var memory: Int?

    /// Creates limits of time, instructions and memory. The limit that is reached first stops the statement. Nil stands
    /// for no limit.
    ///
    /// ```swift
    /// let limits = ExecutionLimits(time: .seconds(2), instructions: 10_000_000, memory: 16_000_000)
    /// ```
    public init(time: Duration? = nil, instructions: Int? = nil, memory: Int? = nil) {
        self.time = time
        self.instructions = instructions
        self.memory = memory
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

    /// Returns a limit of memory, in bytes.
    ///
    /// ```swift
    /// let names = try db.withLimits(.memory(16_000_000)) {
    ///     try String.fetchAll(db, sql: "SELECT DISTINCT name FROM player ORDER BY name")
    /// }
    /// ```
    public static func memory(_ memory: Int) -> ExecutionLimits { ExecutionLimits(memory: memory) }
}

/// The kind of limit that a statement exceeded: see ``DatabaseError/exceededLimit``.
public enum ExceededLimit: Hashable, Sendable {
    /// The limit of ``ExecutionLimits/time``.
    case time
    /// The limit of ``ExecutionLimits/instructions``.
    case instructions
    /// The limit of ``ExecutionLimits/memory``.
    case memory
    /// The limit of ``Sandbox/maximumRowCount``.
    case rows
}
