public import AmalgamCore
import AmalgamQuery
import AmalgamRecords

extension FTS5Terms {
    /// A term that a misspelled word may stand for.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// for correction in try vocabulary.corrections(db, of: "databsae") {
    ///     print(correction.term, correction.distance, correction.documentCount)
    /// }
    /// ```
    public struct Correction: Hashable, Sendable {
        /// The term.
        public var term: String

        /// The spelling of the term in the documents, such as "café" for "cafe": see ``FTS5Terms/spelling(_:of:)``.
        public var spelling: String

        /// The edit distance: the number of inserted, deleted and replaced characters, and of transposed adjacent ones.
        public var distance: Int

        /// The number of documents with the term.
        public var documentCount: Int
    }

    /// Returns the terms that a misspelled word may stand for, ordered by distance, then by descending frequency.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// try vocabulary.corrections(db, of: "databsae")   // database, databases
    /// ```
    ///
    /// SQLite reads the terms of similar length that begin with the first or the second character of the word. If none
    /// of these terms has a distance of at most 1, SQLite also reads terms with a different or an additional first
    /// character. This takes longer, but not as long as reading all terms.
    ///
    /// - Parameters:
    ///   - maximumDistance: The maximum edit distance. By default, it is 0 for words of up to two characters, 1 for
    ///     words of up to five, and 2 for longer words.
    ///   - limit: The maximum number of corrections.
    /// - Returns: The terms, including the word itself if it is a term. An empty array if the string isn't one word.
    /// - Throws: A ``DatabaseError`` if a statement or the tokenizer fails.
    public func corrections(
        _ db: Database, of word: String, maximumDistance: Int? = nil, limit: Int = 5
    ) throws -> [Correction] {
        let terms = try terms(db, of: word)
        guard terms.count == 1 else { return [] }
        let maximum = maximumDistance.map { min(max(0, $0), Self.anyDistance) } ?? Self.maximumDistance(of: terms[0])
        return try corrections(db, ofTerm: terms[0], maximum).prefix(max(0, limit)).map { correction in
            var correction = correction
            correction.spelling = try spelling(db, of: correction.term)
            return correction
        }
    }

    /// More characters than a term can have: FTS5 truncates terms to 32,768 bytes.
    private static let anyDistance = 100_000

    static func maximumDistance(of term: String) -> Int {
        switch term.unicodeScalars.count {
        case ...2: 0
        case ...5: 1
        default: 2
        }
    }

    /// The corrections of a term, spelled as terms.
    func corrections(_ db: Database, ofTerm term: String, _ maximum: Int) throws -> [Correction] {
        let length = term.unicodeScalars.count
        let lengths = length - maximum...length + maximum
        let candidates = terms()
            .select(Term.Columns.term, Term.Columns.documentCount)
            .filter(lengths.contains(AmalgamQuery.length(Term.Columns.term)))
        var distance = EditDistance(to: term, maximum: maximum)
        var corrections: [Correction] = []
        for beginnings in [Self.usualBeginnings(of: term), Self.unusualBeginnings(of: term)] {
            if corrections.contains(where: { $0.distance <= 1 }) { break }
            for beginning in beginnings {
                let candidates = candidates.filter(Term.Columns.term.hasPrefix(beginning))
                try Self.append(candidates, nearby: &distance, to: &corrections, db)
            }
        }
        return corrections.sorted { $0.order < $1.order }
    }

    /// The likely first characters of corrections. These are the first character of the word, and its second one,
    /// because the first two characters may be transposed, or the first one may be superfluous.
    private static func usualBeginnings(of term: String) -> Set<String> {
        Set(term.unicodeScalars.prefix(2).map { String($0) })
    }

    /// The other beginnings of corrections, of two characters each. A character is inserted before the first character
    /// of the word, or replaces the first character: for `house`, the beginnings `xh` and `xo`, with different
    /// characters in place of `x`. They are the characters of the block of 128 code points that contains the first
    /// character, and usually all letters of its script. To look up a beginning, FTS5 reads a small part of the index.
    private static func unusualBeginnings(of term: String) -> Set<String> {
        guard let first = term.unicodeScalars.first else { return [] }
        let block = first.value & ~0x7F
        let usual = usualBeginnings(of: term)
        let letters = (block..<block + 0x80).compactMap { Unicode.Scalar($0) }.filter { !usual.contains(String($0)) }
        return Set(letters.flatMap { letter in term.unicodeScalars.prefix(2).map { String(letter) + String($0) } })
    }

    private static func append(
        _ candidates: QueryInterfaceRequest<Term>, nearby distance: inout EditDistance,
        to corrections: inout [Correction],
        _ db: Database
    ) throws {
        let rows = try Row.fetchCursor(db, candidates)
        while let row = try rows.next() {
            let term = try row.decode(String.self, atIndex: 0)
            if let distance = distance.distance(of: term) {
                let documentCount = try row.decode(Int.self, atIndex: 1)
                corrections.append(
                    Correction(term: term, spelling: term, distance: distance, documentCount: documentCount))
            }
        }
    }
}

extension FTS5Terms.Correction {
    fileprivate var order: (Int, Int, String) { (distance, -documentCount, term) }
}
