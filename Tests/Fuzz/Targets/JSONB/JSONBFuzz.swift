import AmalgamCore
import AmalgamJSON
import Foundation

/// The codec of JSONB, and JSON paths.
///
/// The first byte tells what the others are: JSONB, or text that SQLite converts to JSONB. The decoder returns a value or throws
/// a DecodingError. The value must equal SQLite's own conversion to text, as Foundation decodes it. The encoder's bytes must be
/// valid JSONB for SQLite, with the same text. A text is parsed as a path, too.
struct JSONBFuzz: FuzzRun {
    private let sqlite: SQLiteJSON

    init() throws { sqlite = try SQLiteJSON() }

    func run(_ input: FuzzInput) throws {
        var input = input
        let settings = input.byte()
        let isText = settings & 1 == 1
        let rest = Data(input.remainder)
        if isText { try checkPath(input.text) }
        guard let jsonb = isText ? sqlite.jsonb(input.text) : rest else { return }
        try check(jsonb, isOfSQLite: isText)
        try decodeTypes(jsonb, settings: settings >> 1)
    }

    /// A path is parsed as it is written.
    private func checkPath(_ text: String) throws {
        guard let path = try? JSONPath(parsing: text) else { return }
        let again = try? JSONPath(parsing: path.description)
        try expect(again == path, "\(text.debugDescription) is the path \(path), which isn't parsed as itself")
    }

    private func check(_ jsonb: Data, isOfSQLite: Bool) throws {
        let ours = try decode(Tree.self, jsonb, JSONBDecoder())
        let text = sqlite.json(jsonb)
        if ours != nil, !sqlite.isValid(jsonb) { try fail("SQLite refuses what was decoded", jsonb) }
        if isOfSQLite, !sqlite.isValid(jsonb) { try fail("SQLite does not accept its own JSONB", jsonb) }
        if let text, let theirs = try? JSONDecoder().decode(Tree.self, from: Data(text.json.utf8)), text.isUTF8 {
            if let ours {
                if ours != theirs, !theirs.hasAKeyTwice, !ours.hasAKeyTwice {
                    try fail("decoded \(ours), and not \(theirs) as in \(text.json)", jsonb)
                }
            } else if sqlite.isValid(jsonb), theirs.depth < 500 {
                try fail("refused what SQLite accepts: \(text.json)", jsonb)
            }
        }
        if let ours, !ours.hasAKeyTwice { try checkEncoding(ours) }
    }

    private func checkEncoding(_ tree: Tree) throws {
        guard let jsonb = try? JSONBEncoder().encode(tree) else {
            if tree.depth < 500 { throw BrokenPromise(description: "not encoded: \(tree)") }
            return
        }
        if !sqlite.isValid(jsonb) { try fail("SQLite does not accept what was encoded of \(tree)", jsonb) }
        if try decode(Tree.self, jsonb, JSONBDecoder()) != tree {
            try fail("decoded something else than \(tree)", jsonb)
        }
        guard let text = sqlite.json(jsonb), text.isUTF8 else {
            return try fail("SQLite finds no JSON in \(tree)", jsonb)
        }
        // Foundation has other limits.
        if let theirs = try? JSONDecoder().decode(Tree.self, from: Data(text.json.utf8)), theirs != tree {
            try fail("encoded \(text.json) of \(tree)", jsonb)
        }
        if let foundation = try? JSONEncoder().encode(tree),
            let converted = sqlite.jsonb(String(decoding: foundation, as: UTF8.self)),
            try decode(Tree.self, converted, JSONBDecoder()) != tree
        {
            try fail("decoded something else than \(tree) of Foundation's text", converted)
        }
    }

    /// Decodes types that use all features of Codable, with settings of all kinds. The result is a value or an error.
    private func decodeTypes(_ jsonb: Data, settings: UInt8) throws {
        let decoder = JSONBDecoder()
        if settings & 1 > 0 { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        if settings & 2 > 0 { decoder.keyDecodingStrategy = .custom { $0[$0.count - 1] } }
        if settings & 4 > 0 { decoder.dateDecodingStrategy = .iso8601 }
        if settings & 8 > 0 { decoder.dataDecodingStrategy = .deferredToData }
        if settings & 16 > 0 {
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        }
        if let person = try decode(Person.self, jsonb, decoder) { try encode(person) }
        if let node = try decode(Node.self, jsonb, decoder) { try encode(node) }
        if let values = try decode([Foundations].self, jsonb, decoder) { try encode(values) }
        _ = try decode(ByHand.self, jsonb, decoder)
        _ = try decode([String: [Int8?]].self, jsonb, decoder)
        _ = try decode([String: Int].self, jsonb, decoder)
        _ = try decode([String: Double].self, jsonb, decoder)
        _ = try decode([Int: [String: String]].self, jsonb, decoder)
        _ = try decode([Float].self, jsonb, decoder)
        _ = try decode([UInt128].self, jsonb, decoder)
        if let kept = try decode(Kept.self, jsonb, decoder) {
            do { _ = try Tree(from: kept.decoder) } catch is DecodingError {} catch { fatalError("\(error)") }
        }
    }

    private func decode<T: Decodable>(_ type: T.Type, _ jsonb: Data, _ decoder: JSONBDecoder) throws -> T? {
        do {
            return try decoder.decode(type, from: jsonb)
        } catch is DecodingError {
            return nil
        } catch {
            throw BrokenPromise(description: "an error of another kind: \(error)")
        }
    }

    private func encode(_ value: some Encodable) throws {
        guard let jsonb = try? JSONBEncoder().encode(value) else { return }
        if !sqlite.isValid(jsonb) { try fail("SQLite does not accept what was encoded", jsonb) }
    }

    private func fail(_ message: String, _ jsonb: Data) throws {
        throw BrokenPromise(
            description: "\(message): [\(jsonb.map { "0x" + String($0, radix: 16) }.joined(separator: ", "))]")
    }
}
