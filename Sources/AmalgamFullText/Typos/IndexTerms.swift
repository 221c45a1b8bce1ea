import CAmalgam

/// The terms of one state of an index: a list that was read from the index, and those that were written since.
///
/// It never changes after its creation. Terms that were deleted after the list was read are left in it.
final class IndexTerms: Sendable {
    private let read: TermList

    /// The terms that aren't in `read`.
    private let added: TermList

    /// Creates terms from a list.
    init(_ read: TermList, adding added: TermList = TermList(sorted: [])) {
        self.read = read
        self.added = added
    }

    var count: Int { read.count + added.count }

    /// The number of bytes in memory.
    var byteCount: Int { read.byteCount + added.byteCount }

    /// The number of added terms from which it's better to read the index again, which also removes deleted terms.
    private var maximumAddedCount: Int { max(1_000, read.count / 8) }

    /// Returns the terms with some more.
    ///
    /// - Parameter bytes: The terms, each with the number of its bytes before it. Most of them are known.
    /// - Returns: The object itself if all terms are known; nil if there are so many that the index must be read again.
    func adding(_ bytes: UnsafeBufferPointer<UInt8>) -> IndexTerms? {
        var new: Set<[UInt8]> = []
        var place = 0
        read.withCursor { read in
            added.withCursor { added in
                while place < bytes.count {
                    let end = place + 1 + Int(bytes[place])
                    let term = UnsafeBufferPointer(rebasing: bytes[place + 1..<end])
                    place = end
                    if !read.isAtTerm(term), !added.isAtTerm(term) { new.insert(Array(term)) }
                }
            }
        }
        if new.isEmpty { return self }
        if new.count + added.count > maximumAddedCount { return nil }
        var segment = SegmentTerms()
        for term in new.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            term.withUnsafeBytes { segment.append($0, size: term.count) }
        }
        return IndexTerms(read, adding: TermList(merging: [SegmentTerms(added), segment]))
    }

    /// The frequency class of a term, or of the most frequent term with a prefix. Nil if there is no such term.
    func frequencyClass(of text: String, isPrefix: Bool = false) -> UInt8? {
        let first = read.frequencyClass(of: text, isPrefix: isPrefix)
        guard added.count > 0, let second = added.frequencyClass(of: text, isPrefix: isPrefix) else { return first }
        return max(first ?? 0, second)
    }

    /// The matches of an automaton with at least one typo. See ``TermAutomaton/bestMatches(in:limit:)``.
    func bestMatches(_ automaton: TermAutomaton, limit: Int) -> [TermAutomaton.Match] {
        automaton.bestMatches(in: added.count > 0 ? [read, added] : [read], limit: limit)
    }
}

extension TermCursor {
    /// Moves to a term, and returns whether the list contains it.
    fileprivate mutating func isAtTerm(_ term: UnsafeBufferPointer<UInt8>) -> Bool {
        seek(term)
        return !isAtEnd && current.elementsEqual(term)
    }
}
