public import AmalgamCore
import AmalgamQuery
import AmalgamRecords

extension FTS5Terms {
    /// A term that somebody may have meant.
    public struct Correction: Hashable, Sendable {
        /// The term.
        public var term: String

        /// How many letters are to be changed: inserted, removed, replaced, or exchanged with their neighbour.
        public var distance: Int

        /// How many documents have the term.
        public var documentCount: Int
    }

    /// The terms that somebody may have meant by a word, the nearest ones first, and among these the most frequent ones.
    ///
    /// ```swift
    /// try vocabulary.corrections(db, of: "databsae")   // database, databases
    /// ```
    ///
    /// SQLite reads the terms that begin with the first or the second letter of the word, and are about as long. When none
    /// of them is one letter away, it looks for another first letter, and for one that is missing: this takes longer, and
    /// less than to read all terms.
    ///
    /// - Parameters:
    ///   - maximumDistance: how many letters may be changed. By default, none in words of up to two letters, one in words of
    ///     up to five, and two in longer ones.
    ///   - limit: how many corrections, at most.
    /// - Returns: the terms, the word itself included if it is one; none for a text of no word, or of several ones.
    public func corrections(
        _ db: Database, of word: String, maximumDistance: Int? = nil, limit: Int = 5
    ) throws -> [Correction] {
        let terms = try terms(db, of: word)
        guard terms.count == 1 else { return [] }
        let maximum = maximumDistance.map { min(max(0, $0), Self.anyDistance) } ?? Self.maximumDistance(of: terms[0])
        return try Array(corrections(db, ofTerm: terms[0], maximum).prefix(max(0, limit)))
    }

    /// More letters than a term has: FTS5 cuts it off after 32,768 bytes.
    private static let anyDistance = 100_000

    static func maximumDistance(of term: String) -> Int {
        switch term.unicodeScalars.count {
        case ...2: 0
        case ...5: 1
        default: 2
        }
    }

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

    /// The first letter is mostly right; else it is the second one, if the first two are exchanged or one is too many.
    private static func usualBeginnings(of term: String) -> Set<String> {
        Set(term.unicodeScalars.prefix(2).map { String($0) })
    }

    /// Another letter instead of the first one, and one more before it, without those that were looked at. Unicode keeps the letters of an alphabet together:
    /// 128 of them are looked at, in small parts of the index.
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
                corrections.append(Correction(term: term, distance: distance, documentCount: documentCount))
            }
        }
    }
}

extension FTS5Terms.Correction {
    fileprivate var order: (Int, Int, String) { (distance, -documentCount, term) }
}
