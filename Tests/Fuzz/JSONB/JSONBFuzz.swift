import CAmalgam
import Foundation

// libFuzzer calls this function with one input after the other. See scripts/proof/fuzz.
//
// The first byte tells what the others are: JSONB, or text that SQLite converts to JSONB. The decoder returns a value
// or throws a DecodingError. The value must equal SQLite's own conversion to text, as Foundation decodes it. The
// encoder's bytes must be valid JSONB for SQLite, with the same text.

@_cdecl("LLVMFuzzerTestOneInput")
public func jsonbFuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let rest = Data(UnsafeBufferPointer(start: bytes + 1, count: count - 1))
    let isText = bytes[0] & 1 == 1
    guard let jsonb = isText ? sqlite.jsonb(String(decoding: rest, as: UTF8.self)) : rest else { return 0 }
    check(jsonb, isOfSQLite: isText)
    decodeTypes(jsonb, settings: bytes[0] >> 1)
    return 0
}

private func check(_ jsonb: Data, isOfSQLite: Bool) {
    let ours = decode(Tree.self, jsonb, JSONBDecoder())
    let text = sqlite.json(jsonb)
    if ours != nil, !sqlite.isValid(jsonb) { fail("SQLite refuses what was decoded", jsonb) }
    if isOfSQLite, !sqlite.isValid(jsonb) { fail("SQLite does not accept its own JSONB", jsonb) }
    if let text, let theirs = try? JSONDecoder().decode(Tree.self, from: Data(text.json.utf8)), text.isUTF8 {
        if let ours {
            if ours != theirs, !theirs.hasAKeyTwice, !ours.hasAKeyTwice {
                fail("decoded \(ours), and not \(theirs) as in \(text.json)", jsonb)
            }
        } else if sqlite.isValid(jsonb), theirs.depth < 500 {
            fail("refused what SQLite accepts: \(text.json)", jsonb)
        }
    }
    if let ours, !ours.hasAKeyTwice { checkEncoding(ours) }
}

private func checkEncoding(_ tree: Tree) {
    guard let jsonb = try? JSONBEncoder().encode(tree) else {
        if tree.depth < 500 { fatalError("not encoded: \(tree)") }
        return
    }
    if !sqlite.isValid(jsonb) { fail("SQLite does not accept what was encoded of \(tree)", jsonb) }
    if decode(Tree.self, jsonb, JSONBDecoder()) != tree { fail("decoded something else than \(tree)", jsonb) }
    guard let text = sqlite.json(jsonb), text.isUTF8 else { return fail("SQLite finds no JSON in \(tree)", jsonb) }
    // Foundation has other limits.
    if let theirs = try? JSONDecoder().decode(Tree.self, from: Data(text.json.utf8)), theirs != tree {
        fail("encoded \(text.json) of \(tree)", jsonb)
    }
    if let foundation = try? JSONEncoder().encode(tree),
        let converted = sqlite.jsonb(String(decoding: foundation, as: UTF8.self)),
        decode(Tree.self, converted, JSONBDecoder()) != tree
    {
        fail("decoded something else than \(tree) of Foundation's text", converted)
    }
}

/// Decodes types that use all features of Codable, with settings of all kinds. The result is a value or an error.
private func decodeTypes(_ jsonb: Data, settings: UInt8) {
    let decoder = JSONBDecoder()
    if settings & 1 > 0 { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    if settings & 2 > 0 { decoder.keyDecodingStrategy = .custom { $0[$0.count - 1] } }
    if settings & 4 > 0 { decoder.dateDecodingStrategy = .iso8601 }
    if settings & 8 > 0 { decoder.dataDecodingStrategy = .deferredToData }
    if settings & 16 > 0 {
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
    }
    if let person = decode(Person.self, jsonb, decoder) { encode(person) }
    if let node = decode(Node.self, jsonb, decoder) { encode(node) }
    if let values = decode([Foundations].self, jsonb, decoder) { encode(values) }
    _ = decode(ByHand.self, jsonb, decoder)
    _ = decode([String: [Int8?]].self, jsonb, decoder)
    _ = decode([String: Int].self, jsonb, decoder)
    _ = decode([String: Double].self, jsonb, decoder)
    _ = decode([Int: [String: String]].self, jsonb, decoder)
    _ = decode([Float].self, jsonb, decoder)
    _ = decode([UInt128].self, jsonb, decoder)
    if let kept = decode(Kept.self, jsonb, decoder) {
        do { _ = try Tree(from: kept.decoder) } catch is DecodingError {} catch { fatalError("\(error)") }
    }
}

private func decode<T: Decodable>(_ type: T.Type, _ jsonb: Data, _ decoder: JSONBDecoder) -> T? {
    do {
        return try decoder.decode(type, from: jsonb)
    } catch is DecodingError {
        return nil
    } catch {
        fatalError("an error of another kind: \(error)")
    }
}

private func encode(_ value: some Encodable) {
    guard let jsonb = try? JSONBEncoder().encode(value) else { return }
    if !sqlite.isValid(jsonb) { fail("SQLite does not accept what was encoded", jsonb) }
}

private func fail(_ message: String, _ jsonb: Data) {
    fatalError("\(message): [\(jsonb.map { "0x" + String($0, radix: 16) }.joined(separator: ", "))]")
}

nonisolated(unsafe) private let sqlite = SQLite()

/// SQLite's own conversions.
private struct SQLite {
    private let toText, toBinary, validity: OpaquePointer

    init() {
        var connection: OpaquePointer?
        guard sqlite3_open(":memory:", &connection) == SQLITE_OK else { fatalError("no database") }
        func statement(_ sql: String) -> OpaquePointer {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
                fatalError(String(cString: sqlite3_errmsg(connection)))
            }
            return statement
        }
        toText = statement("SELECT json(?1), json_valid(json(?1), 1)")
        toBinary = statement("SELECT jsonb(?)")
        validity = statement("SELECT json_valid(?, 8)")
    }

    /// Returns the text of JSONB, if it is JSON by RFC 8259, or an empty string if it isn't; nil if there is none.
    func json(_ jsonb: Data) -> (json: String, isUTF8: Bool)? {
        step(toText, jsonb) { statement in
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(statement, 0), count: Int(sqlite3_column_bytes(statement, 0)))
            guard sqlite3_column_int(statement, 1) == 1 else { return ("", true) }
            return (String(decoding: bytes, as: UTF8.self), String(validating: bytes, as: UTF8.self) != nil)
        }
    }

    func jsonb(_ text: String) -> Data? {
        var text = text
        return text.withUTF8 { utf8 in
            sqlite3_bind_text64(
                toBinary, 1, UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self),
                UInt64(utf8.count),
                nil, UInt8(SQLITE_UTF8))
            return row(toBinary) { statement in
                sqlite3_column_blob(statement, 0).map {
                    Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, 0)))
                }
            } ?? nil
        }
    }

    func isValid(_ jsonb: Data) -> Bool { step(validity, jsonb) { sqlite3_column_int($0, 0) == 1 } ?? false }

    private func step<T>(_ statement: OpaquePointer, _ jsonb: Data, _ result: (OpaquePointer) -> T) -> T? {
        jsonb.withUnsafeBytes { bytes in
            // A blob without bytes is NULL if its address is NULL.
            withUnsafePointer(to: 0 as UInt8) { none in
                sqlite3_bind_blob64(statement, 1, bytes.baseAddress ?? UnsafeRawPointer(none), UInt64(bytes.count), nil)
                return row(statement, result)
            }
        }
    }

    private func row<T>(_ statement: OpaquePointer, _ result: (OpaquePointer) -> T) -> T? {
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? result(statement) : nil
    }
}
