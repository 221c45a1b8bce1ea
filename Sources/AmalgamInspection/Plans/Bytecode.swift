/// The bytecode of a compiled statement: the result of `EXPLAIN`.
///
/// ```swift
/// print(try db.bytecode(sql: "SELECT name FROM player"))
/// // addr  opcode       p1  p2  p3  p4        p5  comment
/// // ----  -----------  --  --  --  --------  --  -------
/// // 0     Init         0   7   0             0
/// // 1     OpenRead     0   2   0   2         0
/// // …
/// ```
///
/// The bytecode depends on the version of SQLite: <https://sqlite.org/opcode.html>.
public struct Bytecode: Hashable, Sendable {
    /// The instructions of the statement, followed by those of triggers. The addresses of a trigger start at 0 again.
    public let instructions: [Instruction]

    /// An instruction of SQLite's virtual machine.
    ///
    /// ```swift
    /// for instruction in try db.bytecode(sql: "SELECT name FROM player").instructions {
    ///     print(instruction.address, instruction.opcode)
    /// }
    /// ```
    public struct Instruction: Hashable, Sendable {
        /// The address of the instruction in its program.
        public let address: Int
        /// The name of the operation, such as `OpenRead`.
        public let opcode: String
        /// The first operand, often a cursor or the first register. The meaning of operands depends on the opcode.
        public let p1: Int
        /// The second operand, often the target of a jump.
        public let p2: Int
        /// The third operand.
        public let p3: Int
        /// The fourth operand as a string: a constant, a collation, or a function; nil if there is none.
        public let p4: String?
        /// The fifth operand: 16 bits of flags.
        public let p5: Int
        /// A comment on the instruction, in builds with `SQLITE_ENABLE_EXPLAIN_COMMENTS`.
        public let comment: String?
    }

    /// Returns whether the program contains an instruction with the given opcode.
    ///
    /// ```swift
    /// let sorts = try db.bytecode(sql: "SELECT * FROM player ORDER BY score").contains(opcode: "SorterOpen")
    /// ```
    public func contains(opcode: String) -> Bool { instructions.contains { $0.opcode == opcode } }
}

extension Bytecode: CustomStringConvertible {
    /// A table with one line per instruction.
    public var description: String {
        let head = ["addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment"]
        let rows = instructions.map { instruction in
            [
                "\(instruction.address)", instruction.opcode, "\(instruction.p1)", "\(instruction.p2)",
                "\(instruction.p3)", instruction.p4 ?? "", "\(instruction.p5)", instruction.comment ?? "",
            ]
        }
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([head, rule] + rows).map { Self.line($0, widths) }.joined(separator: "\n")
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        let line = padded.joined(separator: "  ")
        return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }
}
