import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Tests of a tokenizer that finds parts of words in writing systems without spaces.
protocol TokenizerModuleTests {
    var module: FTS5TokenizerModule { get }
}

extension TokenizerModuleTests {
    /// Runs a test on an `FTS5` table of texts.
    func withTexts(_ texts: [String], _ test: (Database) throws -> Void) throws {
        try withDocuments(texts, tokenizer: module.descriptor(), modules: [module], test)
    }

    /// Returns the tokens of a text. Those at the position of the token before begin with `|`.
    func tokens(_ text: String, for tokenization: FTS5Tokenization = .document) throws -> [String] {
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            return try db.makeTokenizer(module.descriptor()).tokens(of: text, for: tokenization).map { token in
                (token.flags.contains(.colocated) ? "|" : "") + token.text
            }
        }
    }

    /// Expects that the parts of random documents, of up to eight tokens, find their documents.
    func expectPartsFindDocuments(of pieces: [String], seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        let texts = (0..<150).map { _ in random.document(of: pieces, count: 1...16) }
        try withTexts(texts) { db in
            let count = try db.expectPartsFindDocuments(texts, module.descriptor(), tokenCount: 8)
            #expect(count > 3_000)
        }
    }
}

extension Database {
    /// Expects that each part of a document, from one token to another, finds the document.
    ///
    /// - Returns: The number of parts.
    func expectPartsFindDocuments(
        _ texts: [String], _ descriptor: FTS5TokenizerDescriptor, tokenCount: Int
    ) throws -> Int {
        let tokenizer = try makeTokenizer(descriptor)
        var count = 0
        for (index, text) in texts.enumerated() {
            let tokens = try tokenizer.tokens(of: text, for: .document).filter { $0.flags.isEmpty }
            for start in tokens.indices {
                for end in tokens.indices[start...].prefix(tokenCount) {
                    let part = text[tokens[start].range.lowerBound..<tokens[end].range.upperBound]
                    count += 1
                    if try !rowIDs(of: FTS5Query(String(part))).contains(Int64(index + 1)) {
                        Issue.record("\(part.debugDescription) doesn't find \(text.debugDescription)")
                    }
                }
            }
        }
        return count
    }
}
