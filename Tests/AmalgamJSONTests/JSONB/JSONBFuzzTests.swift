import Amalgam
import Foundation
import Testing

/// Random values are compared with SQLite's conversion, and random bytes are decoded.
struct JSONBFuzzTests {
    /// Encoded values equal SQLite's conversion of Foundation's JSON, and SQLite's JSONB can be decoded.
    @Test(arguments: 0..<4)
    func valuesBothWays(seed: Int) throws {
        var numbers = SeededNumbers(seed: UInt64(seed))
        try DatabaseQueue().read { db in
            let toText = try db.makeStatement(sql: "SELECT json(?1) WHERE json_valid(?1, 8)")
            let toBinary = try db.makeStatement(sql: "SELECT jsonb(?)")
            for _ in 0..<250 {
                let value = AnyJSON.random(depth: 4, using: &numbers)
                let jsonb = try JSONBEncoder().encode(value)
                #expect(try JSONBDecoder().decode(AnyJSON.self, from: jsonb) == value)
                let text = try #require(try String.fetchOne(toText, arguments: [jsonb]))
                #expect(try JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8)) == value)
                let foundation = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
                let theirs = try #require(try Data.fetchOne(toBinary, arguments: [foundation]))
                #expect(try JSONBDecoder().decode(AnyJSON.self, from: theirs) == value)
            }
        }
    }

    /// SQLite and the decoder read the same numbers, bit by bit.
    @Test func numbersKeepTheirBits() throws {
        var numbers = SeededNumbers(seed: 99)
        for _ in 0..<2000 {
            let double = Double(bitPattern: numbers.next())
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next()))
            if double.isFinite {
                let jsonb = try JSONBEncoder().encode([double])
                #expect(try JSONBDecoder().decode([Double].self, from: jsonb) == [double])
            }
            if float.isFinite {
                let jsonb = try JSONBEncoder().encode([float])
                #expect(try JSONBDecoder().decode([Float].self, from: jsonb) == [float])
            }
            let short = Double(Int.random(in: -99999...99999, using: &numbers)) / 1000
            let jsonb = try JSONBEncoder().encode([short])
            #expect(try JSONBDecoder().decode([Double].self, from: jsonb) == [short])
        }
    }

    /// Changed, truncated or random bytes are decoded, or cause an error. Bytes that SQLite considers well formed can
    /// be decoded.
    @Test(arguments: 0..<4)
    func malformedBytes(seed: Int) throws {
        var numbers = SeededNumbers(seed: UInt64(1000 + seed))
        for _ in 0..<1500 {
            let value = AnyJSON.random(depth: 3, using: &numbers)
            var bytes = Array(try JSONBEncoder().encode(value))
            Self.damage(&bytes, using: &numbers)
            do {
                _ = try JSONBDecoder().decode(AnyJSON.self, from: Data(bytes))
            } catch is DecodingError {
                continue
            }
        }
        for _ in 0..<1500 {
            let count = Int.random(in: 0..<40, using: &numbers)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            do {
                _ = try JSONBDecoder().decode(AnyJSON.self, from: Data(bytes))
                _ = try JSONBDecoder().decode(JSONBCodecTests.Person.self, from: Data(bytes))
            } catch is DecodingError {
                continue
            }
        }
    }

    private static func damage(_ bytes: inout [UInt8], using numbers: inout SeededNumbers) {
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            if bytes.isEmpty { return }
            let index = bytes.indices.randomElement(using: &numbers)!
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 2: bytes.removeLast(bytes.count - index)
            default: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: index)
            }
        }
    }

    /// JSONB that SQLite considers well formed can be decoded, whichever program wrote it.
    @Test func whatSQLiteAccepts() throws {
        var numbers = SeededNumbers(seed: 5)
        try DatabaseQueue().read { db in
            let isValid = try db.makeStatement(sql: "SELECT json_valid(?, 8)")
            var count = 0
            for _ in 0..<3000 {
                var bytes = Array(try JSONBEncoder().encode(AnyJSON.random(depth: 2, using: &numbers)))
                Self.damage(&bytes, using: &numbers)
                let data = Data(bytes)
                guard try Bool.fetchOne(isValid, arguments: [data]) == true,
                    String(validating: bytes, as: UTF8.self) != nil
                else { continue }
                count += 1
                do {
                    _ = try JSONBDecoder().decode(AnyJSON.self, from: data)
                } catch DecodingError.dataCorrupted(let context) {
                    // Numbers that no Swift type can represent, and unpaired surrogates.
                    #expect(context.debugDescription.contains("has no value for"), "\(bytes)")
                }
            }
            #expect(count > 30)
        }
    }
}
