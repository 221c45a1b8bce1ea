import Amalgam
@testable import AmalgamDates
import Foundation
import Testing
import TestSupport

/// Dates in the default layout are read by separate, faster code, with the same result.
struct StoredDateTests {
    private let text = Array("2015-07-22 01:02:03.456".utf8)

    private func read(_ bytes: [UInt8]) -> (stored: Date?, text: Date?) {
        bytes.withUnsafeBytes { (Date(stored: $0), DateText($0)?.date) }
    }

    @Test func theLayoutThatIsWritten() {
        #expect(read(text).stored == Date(timeIntervalSinceReferenceDate: 459_219_723.456))
        #expect(read(text).stored == read(text).text)
    }

    /// With any byte at any position, both readers agree, and only a `T` and a time zone are left to the general one.
    @Test func oneOtherByte() {
        for position in text.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = text
                bytes[position] = byte
                let (stored, other) = read(bytes)
                let isOtherLayout =
                    position == 10 && byte == UInt8(ascii: "T")
                    || position == 22 && (byte | 0x20) == UInt8(ascii: "z")
                #expect(stored == (isOtherLayout ? nil : other), "\(byte) at \(position)")
            }
        }
    }

    @Test func otherLengths() {
        for count in 0..<text.count { #expect(read(Array(text.prefix(count))).stored == nil) }
        #expect(read(text + [0x30]).stored == nil)
        #expect(read([]).stored == nil)
    }

    @Test func everyDayAndManyTimes() {
        var random = SeededGenerator(seed: 7)
        for year in stride(from: 0, through: 9_999, by: 61) {
            for month in 0...13 {
                for day in [0, 1, 4, 5, 14, 15, 28, 29, 30, 31, 32] {
                    let numbers = [
                        year, month, day, Int.random(in: 0...25, using: &random),
                        Int.random(in: 0...61, using: &random),
                        Int.random(in: 0...61, using: &random), Int.random(in: 0...999, using: &random),
                    ]
                    let bytes = layout(numbers)
                    let (stored, other) = read(bytes)
                    if stored != other { Issue.record("\(String(decoding: bytes, as: UTF8.self))") }
                }
            }
        }
    }

    private func layout(_ numbers: [Int]) -> [UInt8] {
        func digits(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: count - String(number).count) + String(number)
        }
        let day = "\(digits(numbers[0], 4))-\(digits(numbers[1], 2))-\(digits(numbers[2], 2))"
        let time = "\(digits(numbers[3], 2)):\(digits(numbers[4], 2)):\(digits(numbers[5], 2))"
        return Array("\(day) \(time).\(digits(numbers[6], 3))".utf8)
    }

    /// Database values stay small, because they are copied often.
    @Test func databaseValuesStaySmall() {
        #expect(MemoryLayout<DatabaseValue>.stride == 24)
        #expect(MemoryLayout<DatabaseValue?>.stride == 24)
    }
}
