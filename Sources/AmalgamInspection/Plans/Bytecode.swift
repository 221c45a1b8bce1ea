/// The program that SQLite has compiled a statement to: the answer of `EXPLAIN`.
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
/// Programs differ from one version of SQLite to the next: <https://sqlite.org/opcode.html>.
public struct Bytecode: Hashable, Sendable {
    /// The instructions. Those of triggers follow those of the statement, and begin with address 0 again.
    public let instructions: [Instruction]

    /// An instruction of SQLite's virtual machine.
    public struct Instruction: Hashable, Sendable {
        /// The place of the instruction in its program.
        public let address: Int
        /// What it does: `OpenRead`.
        public let opcode: String
        /// The first operand. What operands mean depends on the opcode: often a cursor, or the first register.
        public let p1: Int
        /// The second operand: where a jump goes to, most often.
        public let p2: Int
        /// The third operand.
        public let p3: Int
        /// The fourth operand as text: a constant, a collation, a function. nil when there is none.
        public let p4: String?
        /// The fifth operand: a set of flags, in 16 bits.
        public let p5: Int
        /// What it is for, in builds with `SQLITE_ENABLE_EXPLAIN_COMMENTS`.
        public let comment: String?
    }

    /// Whether an instruction with this opcode is there.
    public func contains(opcode: String) -> Bool { instructions.contains { $0.opcode == opcode } }
}

extension Bytecode: CustomStringConvertible {
    /// A table, one line for each instruction.
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
