/// How long statements may run.
///
/// ```swift
/// let rows = try db.withLimits(.time(.seconds(2))) {
///     try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY random()")
/// }
/// ```
public struct ExecutionLimits: Hashable, Sendable {
    /// How much time may pass, waiting for locks included; nil for any.
    public var time: Duration?

    /// How many instructions of SQLite's virtual machine may run; nil for any number.
    ///
    /// The same statement on the same data runs the same instructions on each machine. They are counted in portions
    /// of a hundredth of the limit, at most a thousand; what a statement runs below a portion is not counted. A simple
    /// query runs some ten instructions, and some ten more for each row. See <https://sqlite.org/opcode.html>.
    public var instructions: Int?

    /// Limits of both: the one that is reached first stops the statement. nil for no limit.
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

    /// A limit of time.
    public static func time(_ time: Duration) -> ExecutionLimits { ExecutionLimits(time: time) }

    /// A limit of the number of instructions.
    public static func instructions(_ instructions: Int) -> ExecutionLimits {
        ExecutionLimits(instructions: instructions)
    }
}

/// What a statement was stopped for.
public enum ExceededLimit: Hashable, Sendable {
    /// ``ExecutionLimits/time``.
    case time
    /// ``ExecutionLimits/instructions``.
    case instructions
    /// ``Sandbox/maximumRowCount``.
    case rows
}
