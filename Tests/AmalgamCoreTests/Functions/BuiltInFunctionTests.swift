import Amalgam
import Foundation
import TestSupport
import Testing

/// The functions of SQLite that this package replaces return what SQLite's own return.
struct BuiltInFunctionTests {
    /// Pieces of strings and blobs, with characters that aren't complete.
    private static let pieces: [[UInt8]] = [
        Array("a".utf8), Array("b".utf8), Array("ab".utf8), Array("é".utf8), Array("€".utf8), [0xC3], [0xA9],
        [0xE2, 0x82], [],
    ]

    private static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &generator)).flatMap { _ in pieces.randomElement(using: &generator)! }
    }

    /// Where a character begins in a string, or a byte in a blob.
    private static func starts(_ bytes: [UInt8], isText: Bool) -> [Int] {
        bytes.indices.filter { $0 == 0 || !isText || bytes[$0] & 0xC0 != 0x80 } + [bytes.count]
    }

    private static func instr(_ text: [UInt8], _ needle: [UInt8], isText: Bool) -> Int {
        if needle.isEmpty { return 1 }
        let starts = starts(text, isText: isText)
        return (starts.firstIndex { text[$0...].starts(with: needle) } ?? -1) + 1
    }

    private static func replace(_ text: [UInt8], _ old: [UInt8], _ new: [UInt8]) -> [UInt8] {
        var (result, index): ([UInt8], Int) = ([], 0)
        while index < text.count {
            if text[index...].starts(with: old) {
                result += new
                index += old.count
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    @Test(arguments: seeds(60)) func instrAndReplace(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try DatabaseQueue().inDatabase { db in
            for _ in 0..<20 {
                let (text, needle) = (Self.bytes(12, &generator), Self.bytes(3, &generator))
                let arguments: StatementArguments = [Data(text), Data(needle)]
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT instr(?1, ?2), instr(CAST(?1 AS TEXT), CAST(?2 AS TEXT)),
                          instr(?1, CAST(?2 AS TEXT)), instr(CAST(?1 AS TEXT), ?2)
                        """, arguments: arguments)!
                expectEqual(row[0] as Int, Self.instr(text, needle, isText: false))
                // A string and a blob are both read as strings.
                for index in 1...3 { expectEqual(row[index] as Int, Self.instr(text, needle, isText: true)) }
                if needle.isEmpty { continue }
                // Large arguments, for which this package searches in linear time.
                let (long, new) = (Array(repeatElement(text, count: 400).joined()), Self.bytes(3, &generator))
                let old = Array(repeatElement(needle, count: Int.random(in: 1...100, using: &generator)).joined())
                let sql = "SELECT CAST(replace(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)) AS BLOB)"
                let replaced = try Data.fetchOne(db, sql: sql, arguments: [Data(long), Data(old), Data(new)])!
                expectEqual(Array(replaced), Self.replace(long, old, new))
            }
        }
    }

    @Test(arguments: seeds(50)) func mediansAndPercentiles(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let range = 0...Int.random(in: 1...1000, using: &generator)
        let numbers = (1...Int.random(in: 1...400, using: &generator)).map { _ in
            Int.random(in: range, using: &generator)
        }
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for number in numbers { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
            let sorted = numbers.sorted()
            let median = Double(sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
            expectEqual(try Double.fetchOne(db, sql: "SELECT median(a) FROM t"), median)
            expectEqual(try Double.fetchOne(db, sql: "SELECT percentile(a, 0) FROM t"), Double(sorted.first!))
            expectEqual(try Double.fetchOne(db, sql: "SELECT percentile(a, 100) FROM t"), Double(sorted.last!))
            // A window adds and removes values.
            let sql = "SELECT median(a) OVER (ORDER BY rowid ROWS 2 PRECEDING) FROM t"
            let expected = numbers.indices.map { index -> Double in
                let window = numbers[max(0, index - 2)...index].sorted()
                return Double(window[(window.count - 1) / 2] + window[window.count / 2]) / 2
            }
            expectEqual(try Double.fetchAll(db, sql: sql), expected)
        }
    }

    @Test func replacementsOfAnEmptyOrNullArgument() throws {
        try DatabaseQueue().inDatabase { db in
            let long = String(repeating: "ab", count: 100_000)
            let row = try Row.fetchOne(
                db,
                sql:
                    "SELECT replace(?1, '', 'c') = ?1, replace(?1, 'ab', ''), replace(?1, 'ab', NULL), replace(NULL, 'a', 'b')",
                arguments: [long])!
            expectEqual(row.databaseValues.map(\.description), ["1", "\"\"", "NULL", "NULL"])
            try db.setLimit(.length, to: 250_000)
            expectCode(.SQLITE_TOOBIG) {
                try db.execute(sql: "SELECT replace(?, 'ab', 'abc')", arguments: [long])
            }
        }
    }
}
