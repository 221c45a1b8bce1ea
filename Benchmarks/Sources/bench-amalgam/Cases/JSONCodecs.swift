import Amalgam
import Foundation
import Workload

// Foundation's JSON coders, and the JSONB coders, on the same values in memory.

/// The cases of this file.
var codecCases: [any Case.Type] {
    [
        JSONDecode.self, JSONBDecode.self, JSONEncode.self, JSONBEncode.self, JSONDecodeCounts.self,
        JSONBDecodeCounts.self, JSONEncodeCounts.self, JSONBEncodeCounts.self, JSONDecodePersons.self,
        JSONBDecodePersons.self, JSONEncodePersons.self, JSONBEncodePersons.self,
    ]
}

/// The two coders.
private protocol Codec {
    static var encoder: JSONEncoder { get }
    static var decoder: JSONDecoder { get }
}

private enum Text: Codec {
    /// With sorted keys, like JSON columns of records and the JSONB codec.
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
    static var decoder: JSONDecoder { JSONDecoder() }
}

private enum Binary: Codec {
    static var encoder: JSONEncoder { JSONBEncoder() }
    static var decoder: JSONDecoder { JSONBDecoder() }
}

/// Values with a checksum.
private protocol Subject: Codable {
    var checksum: Int { get }
    static func values(_ folder: Folder) throws -> [Self]
}

private struct Decoding<Value: Subject, Coder: Codec> {
    let documents: [Data]
    let decoder = Coder.decoder

    init(_ folder: Folder) throws {
        let encoder = Coder.encoder
        documents = try Value.values(folder).map { try encoder.encode($0) }
    }

    func run() throws -> Int {
        try documents.reduce(0) { try $0 &+ decoder.decode(Value.self, from: $1).checksum }
    }
}

private struct Encoding<Value: Subject, Coder: Codec> {
    let values: [Value]
    let encoder = Coder.encoder

    init(_ folder: Folder) throws { values = try Value.values(folder) }

    func run() throws -> Int { try values.reduce(0) { try $0 + (encoder.encode($1).isEmpty ? 0 : 1) } }

    /// Decodes what was encoded, so the checksum is the same for all codecs.
    func checksum() throws -> Int {
        try values.reduce(0) { try $0 &+ Coder.decoder.decode(Value.self, from: encoder.encode($1)).checksum }
    }
}

// MARK: - Values

/// A declaration of Swift's standard library, and its members: `scripts/bench` sets the path of the file.
private final class Declaration: Subject {
    var kind: String
    var name: String
    var printedName: String
    var children: [Declaration]?
    var usr: String?
    var moduleName: String?
    var declKind: String?
    var declAttributes: [String]?
    var genericSig: String?
    var funcSelfKind: String?
    var accessorKind: String?
    var accessors: [Declaration]?
    var `static`: Bool?
    var protocolReq: Bool?
    var throwing: Bool?
    var implicit: Bool?
    var reqNewWitnessTableEntry: Bool?
    var paramValueOwnership: String?
    var conformances: [Declaration]?
    var typeAttributes: [String]?
    var hasDefaultArg: Bool?
    var json_format_version: Int?

    var checksum: Int {
        var sum = kind.utf8.count &+ name.utf8.count &+ printedName.utf8.count &+ (usr?.utf8.count ?? 0)
        sum &+= (declAttributes?.count ?? 0) &+ (genericSig?.utf8.count ?? 0) &+ (implicit == true ? 7 : 0)
        for list in [children, accessors, conformances] { sum = (list ?? []).reduce(sum) { $0 &+ $1.checksum &* 3 } }
        return sum
    }

    static func values(_ folder: Folder) throws -> [Declaration] {
        let path = ProcessInfo.processInfo.environment["AMALGAM_BENCH_DOCUMENT"] ?? ""
        return [try JSONDecoder().decode(Declaration.self, from: Data(contentsOf: URL(filePath: path)))]
    }
}

/// The number of occurrences of names in the document.
private struct Counts: Subject {
    var counts: [String: Int]

    init(from decoder: any Decoder) throws { counts = try decoder.singleValueContainer().decode([String: Int].self) }

    init(_ document: Declaration) {
        counts = [:]
        count(document)
    }

    private mutating func count(_ declaration: Declaration) {
        counts[declaration.printedName, default: 0] += 1
        for child in declaration.children ?? [] { count(child) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(counts)
    }

    var checksum: Int { counts.reduce(0) { $0 &+ $1.key.utf8.count &* $1.value } }

    static func values(_ folder: Folder) throws -> [Counts] {
        Array(repeating: Counts(try Declaration.values(folder)[0]), count: 20)
    }
}

extension PersonInfo: Subject {
    fileprivate static func values(_ folder: Folder) throws -> [PersonInfo] {
        let queue = try DatabaseQueue(path: folder.persons())
        let texts = try queue.read { db in try String.fetchAll(db, sql: "SELECT info FROM persons") }
        return try texts.map { try JSONDecoder().decode(PersonInfo.self, from: Data($0.utf8)) }
    }
}

// MARK: - Cases

struct JSONDecode: Case {
    static let name = "json-decode"
    private let decoding: Decoding<Declaration, Text>
    init(folder: Folder) throws { decoding = try Decoding(folder) }
    func run() throws -> Int { try decoding.run() }
}

struct JSONBDecode: Case {
    static let name = "jsonb-decode"
    private let decoding: Decoding<Declaration, Binary>
    init(folder: Folder) throws { decoding = try Decoding(folder) }
    func run() throws -> Int { try decoding.run() }
}

struct JSONEncode: Case {
    static let name = "json-encode"
    private let encoding: Encoding<Declaration, Text>
    init(folder: Folder) throws { encoding = try Encoding(folder) }
    func run() throws -> Int { try encoding.run() }
    func checksum(of result: Int) throws -> Int { try encoding.checksum() }
}

struct JSONBEncode: Case {
    static let name = "jsonb-encode"
    private let encoding: Encoding<Declaration, Binary>
    init(folder: Folder) throws { encoding = try Encoding(folder) }
    func run() throws -> Int { try encoding.run() }
    func checksum(of result: Int) throws -> Int { try encoding.checksum() }
}

struct JSONDecodeCounts: Case {
    static let name = "json-decode-counts"
    private let decoding: Decoding<Counts, Text>
    init(folder: Folder) throws { decoding = try Decoding(folder) }
    func run() throws -> Int { try decoding.run() }
}

struct JSONBDecodeCounts: Case {
    static let name = "jsonb-decode-counts"
    private let decoding: Decoding<Counts, Binary>
    init(folder: Folder) throws { decoding = try Decoding(folder) }
    func run() throws -> Int { try decoding.run() }
}

struct JSONEncodeCounts: Case {
    static let name = "json-encode-counts"
    private let encoding: Encoding<Counts, Text>
    init(folder: Folder) throws { encoding = try Encoding(folder) }
    func run() throws -> Int { try encoding.run() }
    func checksum(of result: Int) throws -> Int { try encoding.checksum() }
}

struct JSONBEncodeCounts: Case {
    static let name = "jsonb-encode-counts"
    private let encoding: Encoding<Counts, Binary>
    init(folder: Folder) throws { encoding = try Encoding(folder) }
    func run() throws -> Int { try encoding.run() }
    func checksum(of result: Int) throws -> Int { try encoding.checksum() }
}

struct JSONDecodePersons: Case {
    static let name = "json-decode-persons"
    private let decoding: Decoding<PersonInfo, Text>
    init(folder: Folder) throws { decoding = try Decoding(folder) }
    func run() throws -> Int { try decoding.run() }
}

struct JSONBDecodePersons: Case {
    static let name = "jsonb-decode-persons"
    private let decoding: Decoding<PersonInfo, Binary>
    init(folder: Folder) throws { decoding = try Decoding(folder) }
    func run() throws -> Int { try decoding.run() }
}

struct JSONEncodePersons: Case {
    static let name = "json-encode-persons"
    private let encoding: Encoding<PersonInfo, Text>
    init(folder: Folder) throws { encoding = try Encoding(folder) }
    func run() throws -> Int { try encoding.run() }
    func checksum(of result: Int) throws -> Int { try encoding.checksum() }
}

struct JSONBEncodePersons: Case {
    static let name = "jsonb-encode-persons"
    private let encoding: Encoding<PersonInfo, Binary>
    init(folder: Folder) throws { encoding = try Encoding(folder) }
    func run() throws -> Int { try encoding.run() }
    func checksum(of result: Int) throws -> Int { try encoding.checksum() }
}
