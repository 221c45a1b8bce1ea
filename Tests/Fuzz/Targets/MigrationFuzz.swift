import AmalgamConcurrency
import AmalgamCore
import AmalgamMigrations
import AmalgamRecords

/// The tokens by which migrations compare schemas.
///
/// The first line has edits of a statement: of quotes, blanks, comments and case. The others are the statement. If SQLite accepts the
/// statement before and after the edits, and the tokens are equal, both make the same table, index, view or trigger.
struct MigrationFuzz: FuzzRun {
    func run(_ input: FuzzInput) throws {
        var input = input
        var edits = FuzzInput(Array(input.line().utf8))
        let before = input.text
        var bytes = Array(before.utf8)
        var count = 0
        while !edits.isAtEnd && count < 16 {
            Self.edit(&bytes, &edits)
            count += 1
        }
        let after = String(decoding: bytes, as: UTF8.self)
        let tokens = SQLTokens(before)
        try expect(tokens == SQLTokens(" \n" + before), "blanks before \(before) count")
        guard before != after, tokens == SQLTokens(after), let old = Self.program(before), let new = Self.program(after)
        else { return }
        try expect(old == new, "\(before.debugDescription) has the tokens of \(after.debugDescription)")
    }

    private static func edit(_ bytes: inout [UInt8], _ edits: inout FuzzInput) {
        let kind = edits.number(below: 8)
        let position = edits.number(below: 256)
        guard !bytes.isEmpty else { return }
        let index = position % bytes.count
        switch kind {
        case 0...2:
            // Quotes around a word.
            guard isLetter(bytes[index]) else { return }
            let start = bytes[..<index].lastIndex { !isLetter($0) }.map { $0 + 1 } ?? 0
            let end = bytes[index...].firstIndex { !isLetter($0) } ?? bytes.count
            bytes.insert(Array("\"`]".utf8)[kind], at: end)
            bytes.insert(Array("\"`[".utf8)[kind], at: start)
        case 3: bytes.insert(contentsOf: "/* ' */".utf8, at: index)
        case 4: bytes.insert(contentsOf: " -- \"\n".utf8, at: index)
        case 5: bytes.insert(UInt8(ascii: " "), at: index)
        case 6: if isLetter(bytes[index]) { bytes[index] ^= 0x20 }
        default: if [UInt8(ascii: " "), UInt8(ascii: "\"")].contains(bytes[index]) { bytes.remove(at: index) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    // MARK: What SQLite makes of a statement

    /// What depends on the table or view that the statement creates.
    private static let statements = [
        "EXPLAIN INSERT INTO t DEFAULT VALUES", "EXPLAIN SELECT * FROM t", "EXPLAIN DELETE FROM t",
        "EXPLAIN UPDATE t SET a = 1", "EXPLAIN INSERT INTO u VALUES (1, 2)", "EXPLAIN SELECT * FROM u WHERE a = 1",
    ]

    /// Returns the programs of some statements after the schema change; nil if SQLite refuses it.
    private static func program(_ sql: String) -> [String]? {
        guard let database = try? DatabaseQueue() else { return nil }
        return database.inDatabase { db -> [String]? in
            // One statement of the schema only: others could have any effect.
            guard sql.lowercased().hasPrefix("create"), !sql.lowercased().contains("virtual") else { return nil }
            guard (try? db.execute(sql: "CREATE TABLE u (a, b)")) != nil,
                let statement = try? db.makeStatement(sql: sql), (try? statement.execute()) != nil
            else { return nil }
            return statements.flatMap { sql in
                (try? Row.fetchAll(db, sql: sql).map(instruction)) ?? ["\(sql) fails"]
            }
        }
    }

    /// Some instructions have a text of the schema: that of a constraint, which ends the program if the constraint doesn't hold, and that of
    /// a statement in a trigger.
    private static func instruction(_ row: Row) -> String {
        let opcode: String = row["opcode"]
        let last: String = ["Halt", "Init", "Trace"].contains(opcode) ? "" : row["p4"] ?? ""
        let numbers = ["p1", "p2", "p3", "p5"].map { (row[$0] as Int?).map(String.init) ?? "" }
        return "\(opcode) \(numbers.joined(separator: " ")) \(last.lowercased())"
    }
}
