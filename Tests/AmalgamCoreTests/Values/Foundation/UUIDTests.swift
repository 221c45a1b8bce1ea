import Amalgam
import Foundation
import Testing
import TestSupport

@Suite struct UUIDTests {
    static let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    static let uuid = UUID(uuidString: text)!

    @Test func storage() throws {
        #expect(try sql(Self.uuid) == "blob X'E621E1F8C36C495A93FC0C247A3E6E5F'")
        #expect(try roundTrip(Self.uuid) == Self.uuid)
    }

    @Test(arguments: [
        "x'E621E1F8C36C495A93FC0C247A3E6E5F'", "'\(text)'", "'\(text.lowercased())'",
        "'E621E1F8-c36c-495A-93fc-0C247A3E6E5F'",
    ])
    func representations(expression: String) throws {
        #expect(try decoded(UUID.self, expression) == Self.uuid)
    }

    @Test func blobOfZeros() throws {
        #expect(try decoded(UUID.self, "zeroblob(16)")?.uuidString == "00000000-0000-0000-0000-000000000000")
    }

    @Test(arguments: [
        "NULL", "1", "1.5", "x''", "x'E621E1F8C36C495A93FC0C247A3E6E'", "zeroblob(17)", "''", "'hello'",
        "'E621E1F8C36C495A93FC0C247A3E6E5F'", "'{\(text)}'", "'\(text) '", "'\(text.dropLast())g'",
        "'E621E1F8-C36C-495A-93FC+0C247A3E6E5F'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5\u{e9}'",
        "CAST('\(text)' AS BLOB)", "'@621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5`'",
    ])
    func otherValues(expression: String) throws {
        #expect(try decoded(UUID.self, expression) == nil)
    }

    @Test func randomRoundTrips() throws {
        for _ in 0..<1_000 {
            let uuid = UUID()
            #expect(UUID.fromDatabaseValue(uuid.databaseValue) == uuid)
            #expect(UUID.fromDatabaseValue(uuid.uuidString.databaseValue) == uuid)
            #expect(UUID.fromDatabaseValue(uuid.uuidString.lowercased().databaseValue) == uuid)
        }
    }

    /// Strings that aren't UUIDs are refused. Foundation may accept more, such as blanks in place of digits.
    @Test func anyBytes() {
        var generator = SeededGenerator(seed: 5)
        let alphabet = Array("0123456789abcdefABCDEFgG-@`:/{} \u{7f}".utf8)
        for _ in 0..<20_000 {
            var bytes = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: 0..<36, using: &generator)] = alphabet.randomElement(using: &generator)!
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let isCanonical = text.wholeMatch(of: /[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil
            #expect(UUID.fromDatabaseValue(text.databaseValue) == (isCanonical ? UUID(uuidString: text) : nil))
        }
    }
}
