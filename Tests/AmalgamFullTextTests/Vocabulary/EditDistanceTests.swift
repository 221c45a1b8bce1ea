import Testing

@testable import AmalgamFullText

@Suite("The distance of words")
struct EditDistanceTests {
    @Test(
        "one insertion, deletion, replacement or exchange counts one",
        arguments: [
            ("database", "database", 0), ("database", "databas", 1), ("database", "databases", 1),
            ("database", "datebase", 1), ("database", "databsae", 1), ("database", "databsaes", 2), ("ab", "ba", 1),
            ("abcd", "badc", 2), ("ca", "abc", 3), ("", "abc", 3), ("abc", "", 3), ("", "", 0),
            ("kitten", "sitting", 3),
            ("café", "cafe", 1), ("日本", "本日", 1), ("abcdef", "ghijkl", 6),
        ])
    func distances(word: String, other: String, expected: Int) {
        for maximum in 0...7 {
            var distance = EditDistance(to: word, maximum: maximum)
            #expect(distance.distance(of: other) == (expected <= maximum ? expected : nil), "at most \(maximum)")
        }
    }

    @Test("the band and the whole table agree, and words leave nothing behind")
    func band() {
        var random = RandomTexts(seed: 3)
        for _ in 0..<300 {
            let word = randomWord(&random)
            for maximum in 0...3 {
                var distance = EditDistance(to: word, maximum: maximum)
                for _ in 0..<10 {
                    let other = randomWord(&random)
                    let expected = wholeTable(Array(word.unicodeScalars), Array(other.unicodeScalars))
                    #expect(
                        distance.distance(of: other) == (expected <= maximum ? expected : nil),
                        "\(word) \(other) \(maximum)")
                }
            }
        }
    }

    private func randomWord(_ random: inout RandomTexts) -> String {
        String((0..<Int.random(in: 0...7, using: &random)).map { _ in "abc".randomElement(using: &random)! })
    }

    /// The textbook algorithm.
    private func wholeTable(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var table = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { table[i][0] = i }
        for j in 0...b.count { table[0][j] = j }
        for (i, x) in a.enumerated() {
            for (j, y) in b.enumerated() {
                var best = min(table[i][j + 1] + 1, table[i + 1][j] + 1, table[i][j] + (x == y ? 0 : 1))
                if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { best = min(best, table[i - 1][j - 1] + 1) }
                table[i + 1][j + 1] = best
            }
        }
        return table[a.count][b.count]
    }
}
