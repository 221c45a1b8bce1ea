/// Computes the edit distances from one word to others.
///
/// An insertion, a deletion, a substitution and a transposition of adjacent characters count one. This is the
/// Damerau–Levenshtein distance, restricted to one edit per substring ("optimal string alignment").
///
/// Distances above a maximum aren't computed. Therefore, only a diagonal band of the distance matrix is needed, and
/// most words are rejected early. Only three rows of the matrix are in memory. Their arrays are reused for each word.
struct EditDistance {
    /// The value of cells outside the band.
    private static let far = Int.max / 2

    private let word: [Unicode.Scalar]
    private let maximum: Int
    private var other: [Unicode.Scalar] = []

    // Rows of the matrix: the distances from a prefix of `word` to all prefixes of `other`.
    private var row: [Int] = []
    private var previousRow: [Int] = []
    private var rowBeforePrevious: [Int] = []

    init(to word: String, maximum: Int) {
        self.word = Array(word.unicodeScalars)
        self.maximum = maximum
    }

    /// The distance to a word; nil if it is larger than the maximum.
    mutating func distance(of otherWord: String) -> Int? {
        other.removeAll(keepingCapacity: true)
        other.append(contentsOf: otherWord.unicodeScalars)
        if abs(word.count - other.count) > maximum { return nil }
        prepareRows()
        for length in 1..<(word.count + 1) {
            let smallest = computeRow(length)
            // A transposition reads the row before the previous one.
            if smallest > maximum && (previousRow.min() ?? 0) > maximum { return nil }
        }
        let distance = row[other.count]
        return distance > maximum ? nil : distance
    }

    private mutating func prepareRows() {
        let far = repeatElement(Self.far, count: other.count + 1)
        Self.fill(&row, 0...other.count)
        Self.fill(&previousRow, far)
        Self.fill(&rowBeforePrevious, far)
    }

    private static func fill(_ row: inout [Int], _ values: some Collection<Int>) {
        row.removeAll(keepingCapacity: true)
        row.append(contentsOf: values)
    }

    /// Computes the row of the matrix for the first `length` characters of the word.
    ///
    /// - Returns: The smallest distance in the row.
    private mutating func computeRow(_ length: Int) -> Int {
        (rowBeforePrevious, previousRow, row) = (previousRow, row, rowBeforePrevious)
        for index in row.indices { row[index] = Self.far }
        row[0] = length
        var smallest = length
        for index in max(1, length - maximum)..<(min(other.count, length + maximum) + 1) {
            row[index] = cell(length, index)
            smallest = min(smallest, row[index])
        }
        return smallest
    }

    private func cell(_ length: Int, _ index: Int) -> Int {
        let (letter, otherLetter) = (word[length - 1], other[index - 1])
        let replacement = previousRow[index - 1] + (letter == otherLetter ? 0 : 1)
        let distance = min(replacement, previousRow[index] + 1, row[index - 1] + 1)
        guard length > 1, index > 1, letter == other[index - 2], word[length - 2] == otherLetter else {
            return distance
        }
        return min(distance, rowBeforePrevious[index - 2] + 1)
    }
}
