import Foundation

/// The SQLite of the system, with which a Python program runs many statements at once.
struct SystemSQLite {
    /// Statements that read the same tables.
    struct Batch: Encodable {
        var tables: [String]
        var statements: [String]
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The rows of a statement, or the message of an error.
    enum Reply {
        case rows([[Cell]])
        case error(String)
    }

    private struct Line: Decodable {
        var rows: [[[String]]]?
        var error: String?
    }

    /// The version of the system's SQLite; nil if there is none, or no Python.
    static var version: String? {
        let lines = try? run("import sqlite3; print(sqlite3.sqlite_version)", input: "")
        return lines?.first
    }

    /// Runs the statements of all batches. There is a reply for each of them.
    static func run(_ batches: [Batch]) throws -> [[Reply]] {
        let input = try batches.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let lines = try run(program, input: input.joined(separator: "\n"))
        guard lines.count == batches.count else {
            throw Failure(description: "the system's SQLite answered \(lines.count) of \(batches.count) batches")
        }
        return try lines.map { line in
            try JSONDecoder().decode([Line].self, from: Data(line.utf8)).map { reply in
                if let rows = reply.rows { return .rows(rows.map { $0.map(Cell.init(tagged:)) }) }
                return .error(reply.error ?? "")
            }
        }
    }

    /// Reads batches as lines of JSON, and writes a line of JSON for each.
    private static let program = """
        import json, sqlite3, sys
        def cell(value):
            if value is None: return ["n", ""]
            if isinstance(value, int): return ["i", str(value)]
            if isinstance(value, float): return ["r", value.hex()]
            if isinstance(value, str): return ["t", value.encode("utf-8", "surrogateescape").hex()]
            return ["b", bytes(value).hex()]
        def reply(db, sql):
            try:
                return {"rows": [[cell(value) for value in row] for row in db.execute(sql)]}
            except Exception as error:
                return {"error": str(error)}
        for line in open(sys.argv[1], encoding="utf-8"):
            batch = json.loads(line)
            db = sqlite3.connect(":memory:")
            db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            for sql in batch["tables"]: db.execute(sql)
            print(json.dumps([reply(db, sql) for sql in batch["statements"]]))
            db.close()
        """

    private static func run(_ program: String, input: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "amalgam-requests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (code, data) = (folder.appendingPathComponent("run.py"), folder.appendingPathComponent("batches"))
        try program.write(to: code, atomically: true, encoding: .utf8)
        try input.write(to: data, atomically: true, encoding: .utf8)
        guard let output = popen("python3 '\(code.path)' '\(data.path)' 2>&1", "r") else {
            throw Failure(description: "python3 can't be started")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&buffer, 1, buffer.count, output)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        let status = pclose(output)
        let text = String(decoding: bytes, as: UTF8.self)
        guard status == 0 else { throw Failure(description: "python3 failed: \(text.suffix(300))") }
        return text.split(separator: "\n").map(String.init)
    }
}

extension Cell {
    /// Reads a value that the Python program has written: its type, and its digits or bytes.
    fileprivate init(tagged parts: [String]) {
        switch parts[0] {
        case "i": self = Int64(parts[1]).map { .integer($0) } ?? .null
        case "r": self = Double(parts[1]).map { .real($0) } ?? .null
        case "t": self = .text(Self.bytes(parts[1]))
        case "b": self = .blob(Self.bytes(parts[1]))
        default: self = .null
        }
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16)! }
    }
}
