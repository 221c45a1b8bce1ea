import Testing

@testable import AmalgamFullText

@Suite("Similar terms of a sorted list")
struct TermAutomatonTests {
    /// Words of few letters, with many common beginnings, and some of several bytes per letter.
    private static func words(_ random: inout RandomTexts, count: Int, letters: String) -> Set<String> {
        Set(
            (0..<count).map { _ in
                String((0..<Int.random(in: 1...9, using: &random)).map { _ in letters.randomElement(using: &random)! })
            })
    }

    private func list(_ words: Set<String>) -> TermList {
        TermList(sorted: words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { ($0, $0.utf8.count) })
    }

    @Test("the automaton finds what the edit distance says, in lists of one block and of many")
    func distances() {
        var random = RandomTexts(seed: 11)
        for (count, letters) in [(0, "a"), (1, "ab"), (64, "ab"), (65, "abc"), (700, "abcd"), (3_000, "abé日🎉")] {
            let words = Self.words(&random, count: count, letters: letters)
            let list = list(words)
            #expect(list.count == words.count)
            for word in Self.words(&random, count: 12, letters: letters) {
                for maximum in 0...3 {
                    var distance = EditDistance(to: word, maximum: maximum)
                    let expected = words.reduce(into: [:]) { $0[$1] = distance.distance(of: $1) }.filter { $1 > 0 }
                    let found = TermAutomaton(word, maximum: maximum).bestMatches(in: [list], limit: .max / 8)
                    let counts = found.map { ($0.term, $0.typoCount) }
                    #expect(Dictionary(uniqueKeysWithValues: counts) == expected, "\(word) \(maximum)")
                }
            }
        }
    }

    @Test("a beginning is similar if one of its prefixes is")
    func prefixes() {
        var random = RandomTexts(seed: 12)
        for (count, letters) in [(60, "ab"), (300, "abcd"), (1_000, "abé日🎉")] {
            let words = Self.words(&random, count: count, letters: letters)
            let list = list(words)
            for word in Self.words(&random, count: 8, letters: letters) {
                for maximum in 1...2 {
                    var distance = EditDistance(to: word, maximum: maximum)
                    let expected = words.reduce(into: [String: Int]()) { expected, term in
                        let scalars = term.unicodeScalars
                        let prefixes = (0...scalars.count).map { String(scalars.prefix($0)) }
                        expected[term] = prefixes.compactMap { distance.distance(of: $0) }.min()
                    }
                    let found = TermAutomaton(word, maximum: maximum, isPrefix: true)
                        .bestMatches(in: [list], limit: .max / 8)
                    let counts = found.map { ($0.term, $0.typoCount) }
                    #expect(Dictionary(uniqueKeysWithValues: counts) == expected.filter { $1 > 0 }, "\(word)")
                }
            }
        }
    }

    @Test("the best matches have the fewest typos, and among these the largest entries in the index")
    func best() {
        let list = TermList(sorted: [("lamb", 100), ("lamp", 3_000), ("lamps", 90_000), ("limp", 200), ("lump", 10)])
        func best(_ word: String, _ limit: Int) -> [String] {
            TermAutomaton(word, maximum: 2).bestMatches(in: [list], limit: limit).map(\.term)
        }
        #expect(best("lamp", 9) == ["lamps", "limp", "lamb", "lump"])
        #expect(best("lamp", 2) == ["lamps", "limp"])
        #expect(best("lxmp", 9) == ["lamp", "limp", "lump", "lamps", "lamb"])
        #expect(best("lxmp", 0) == [])
        #expect(best("", 9) == [])
    }

    @Test("a small limit keeps the same matches as a large one")
    func limits() {
        var random = RandomTexts(seed: 13)
        let words = Self.words(&random, count: 3_000, letters: "abc")
        let list = TermList(
            sorted: words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                .map { ($0, Int.random(in: 1...5_000, using: &random)) })
        for word in Self.words(&random, count: 20, letters: "abc") {
            for isPrefix in [false, true] {
                let automaton = TermAutomaton(word, maximum: 2, isPrefix: isPrefix)
                let all = automaton.bestMatches(in: [list], limit: .max / 8)
                for limit in [1, 7, 64] {
                    #expect(automaton.bestMatches(in: [list], limit: limit) == Array(all.prefix(limit)))
                }
            }
        }
    }

    @Test("terms that aren't valid UTF-8 are similar to no more than their valid bytes")
    func invalidTerms() {
        let bytes: [[UInt8]] = [[0x61, 0x62, 0xFF], [0x61, 0xC3], [0x61, 0xE2, 0x28, 0xA1], [0xC3, 0xA9, 0x62]]
        var segment = SegmentTerms()
        for term in bytes { term.withUnsafeBytes { segment.append($0, size: 1) } }
        let list = TermList(merging: [segment])
        #expect(TermAutomaton("ab", maximum: 1).bestMatches(in: [list], limit: 9).map(\.typoCount) == [1, 1, 1])
        #expect(TermAutomaton("éb", maximum: 1).bestMatches(in: [list], limit: 9) == [])
    }

    @Test("a list finds its terms and their beginnings")
    func lookUps() {
        var random = RandomTexts(seed: 14)
        let words = Self.words(&random, count: 500, letters: "abé日")
        let list = list(words)
        for word in words.union(Self.words(&random, count: 500, letters: "abé日")) {
            #expect((list.frequencyClass(of: word) != nil) == words.contains(word))
            let isBeginning = words.contains { $0.utf8.starts(with: word.utf8) }
            #expect((list.frequencyClass(of: word, isPrefix: true) != nil) == isBeginning)
        }
        #expect(TermList(sorted: []).frequencyClass(of: "a") == nil)
    }

    @Test("segments are merged: a term in several of them is in the list once")
    func segments() {
        var random = RandomTexts(seed: 15)
        for count in 0...9 {
            let parts = (0..<count).map { _ in
                Self.words(&random, count: Int.random(in: 0...200, using: &random), letters: "abc")
            }
            let segments = parts.map { words in
                words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.reduce(into: SegmentTerms()) {
                    terms, word in
                    Array(word.utf8).withUnsafeBytes { terms.append($0, size: 4) }
                }
            }
            let all = parts.reduce(into: Set()) { $0.formUnion($1) }
            let list = TermList(merging: segments)
            #expect(list.count == all.count)
            for word in all {
                let size = 4 * parts.count { $0.contains(word) }
                let expected = TermList(sorted: [(word, size)]).frequencyClass(of: word)
                #expect(list.frequencyClass(of: word) == expected)
            }
        }
    }
}
