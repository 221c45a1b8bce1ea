import Foundation
import FuzzTargets

/// The inputs of a target in Tests/Fuzz/Corpus, and the tokens of its dictionary.
struct Corpus: Sendable {
    var inputs: [String: [UInt8]]
    var tokens: [[UInt8]]

    init(inputs: [String: [UInt8]], tokens: [[UInt8]]) {
        self.inputs = inputs
        self.tokens = tokens
    }

    init(of target: FuzzTarget, file: String = #filePath) throws {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fuzz")
        let corpus = folder.appendingPathComponent("Corpus").appendingPathComponent(target.rawValue)
        inputs = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: corpus.path) {
            inputs[name] = Array(try Data(contentsOf: corpus.appendingPathComponent(name)))
        }
        let isSQL = [.sandbox, .databaseFiles, .walFiles, .migrations].contains(target)
        let dictionary = folder.appendingPathComponent("Dictionaries")
            .appendingPathComponent(isSQL ? "sql" : target.rawValue)
        let text = (try? String(contentsOf: dictionary, encoding: .utf8)) ?? ""
        tokens = text.split(separator: "\n").compactMap(Self.token)
    }

    /// The bytes of a line of a dictionary of libFuzzer, such as `"\x00a"`.
    private static func token(_ line: Substring) -> [UInt8]? {
        guard line.hasPrefix("\""), line.hasSuffix("\""), line.count > 2 else { return nil }
        var rest = line.dropFirst().dropLast().utf8[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            if next == UInt8(ascii: "x"), let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(next)
            }
        }
        return bytes
    }
}
