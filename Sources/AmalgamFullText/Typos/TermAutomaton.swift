/// Finds the terms of a list that are similar to a word.
///
/// The automaton reads a term scalar by scalar. Its state is a row of the matrix of `EditDistance`: the distances from
/// the scalars read so far to all prefixes of the word. It has one row for each scalar read, so that terms with a
/// common beginning share the rows. If all distances of a row are too large, the cursor skips all terms with this
/// beginning.
///
/// An insertion, a deletion, a replacement and a transposition of adjacent scalars count one ("optimal string
/// alignment"). A row has cells for a diagonal band only.
struct TermAutomaton {
    /// A term that is similar to the word.
    struct Match: Hashable {
        var term: String
        var typoCount: Int
        var frequencyClass: UInt8
    }

    private let word: [UInt32]
    private let maximum: Int
    private let isPrefix: Bool

    /// Creates an automaton.
    ///
    /// - Parameters:
    ///   - word: The word.
    ///   - maximum: The maximum number of typos, at most 200.
    ///   - isPrefix: Whether it suffices that the beginning of a term is similar to the word.
    init(_ word: String, maximum: Int, isPrefix: Bool = false) {
        self.word = word.unicodeScalars.map(\.value)
        self.maximum = min(max(0, maximum), 200)
        self.isPrefix = isPrefix
    }

    /// The best matches with at least one typo, ordered by the number of typos, then from frequent to rare terms.
    ///
    /// - Parameter lists: Lists without common terms.
    func bestMatches(in lists: [TermList], limit: Int) -> [Match] {
        var best = BestMatches(limit: limit)
        if limit > 0, maximum > 0, !word.isEmpty {
            for list in lists { findMatches(in: list, &best) }
        }
        return best.sorted()
    }

    private func findMatches(in list: TermList, _ best: inout BestMatches) {
        let depth = word.count + maximum + 2
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: depth * (word.count + 1)) { cells in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * depth) { numbers in
                withUnsafeTemporaryAllocation(of: UInt32.self, capacity: depth) { scalars in
                    word.withUnsafeBufferPointer { word in
                        var walk = Walk(
                            word: word, maximum: maximum, isPrefix: isPrefix, cells: cells,
                            ends: UnsafeMutableBufferPointer(rebasing: numbers[..<depth]),
                            nearest: UnsafeMutableBufferPointer(rebasing: numbers[depth...]), scalars: scalars)
                        list.withCursor { walk.visit(&$0, &best) }
                    }
                }
            }
        }
    }
}

/// The state of an automaton. The arrays are indexed by the number of scalars read.
private struct Walk {
    let word: UnsafeBufferPointer<UInt32>
    let maximum: Int
    let isPrefix: Bool

    /// The rows of the matrix.
    let cells: UnsafeMutableBufferPointer<UInt8>

    /// The number of bytes read.
    let ends: UnsafeMutableBufferPointer<Int>

    /// The smallest distance from a prefix of the scalars read to the word.
    let nearest: UnsafeMutableBufferPointer<Int>

    /// The last scalar read.
    let scalars: UnsafeMutableBufferPointer<UInt32>

    /// The number of scalars read.
    private var depth = 0

    init(
        word: UnsafeBufferPointer<UInt32>, maximum: Int, isPrefix: Bool, cells: UnsafeMutableBufferPointer<UInt8>,
        ends: UnsafeMutableBufferPointer<Int>, nearest: UnsafeMutableBufferPointer<Int>,
        scalars: UnsafeMutableBufferPointer<UInt32>
    ) {
        self.word = word
        self.maximum = maximum
        self.isPrefix = isPrefix
        self.cells = cells
        self.ends = ends
        self.nearest = nearest
        self.scalars = scalars
        for column in 0...word.count { cells[column] = UInt8(min(column, maximum + 1)) }
        ends[0] = 0
        nearest[0] = min(word.count, maximum + 1)
        scalars[0] = 0
    }

    mutating func visit(_ cursor: inout TermCursor, _ best: inout BestMatches) {
        while !cursor.isAtEnd {
            while ends[depth] > cursor.sharedCount { depth -= 1 }
            if readTerm(cursor.current) {
                let distance = isPrefix ? nearest[depth] : last(depth)
                if distance > 0, distance <= maximum { best.insert(cursor, distance) }
                cursor.advance()
            } else {
                let (end, distance) = (ends[depth], nearest[depth])
                depth -= 1
                if isPrefix, distance <= maximum {
                    Self.insertAll(&cursor, sharing: end, distance, &best)
                } else {
                    cursor.skip(sharing: end)
                }
            }
        }
    }

    /// Inserts all terms with the same beginning as the current one.
    private static func insertAll(
        _ cursor: inout TermCursor, sharing count: Int, _ distance: Int, _ best: inout BestMatches
    ) {
        repeat {
            if distance > 0 { best.insert(cursor, distance) }
            cursor.advance()
        } while !cursor.isAtEnd && cursor.sharedCount >= count
    }

    /// Reads the rest of a term.
    ///
    /// - Returns: false if the distances of the last row are all too large.
    private mutating func readTerm(_ term: UnsafeBufferPointer<UInt8>) -> Bool {
        while ends[depth] < term.count {
            let (scalar, count) = term.scalar(at: ends[depth])
            depth += 1
            scalars[depth] = scalar
            ends[depth] = ends[depth - 1] + count
            let smallest = computeRow(scalar)
            nearest[depth] = min(nearest[depth - 1], last(depth))
            if smallest > maximum { return false }
        }
        return true
    }

    /// The distance from the first `depth` scalars to the whole word.
    private func last(_ depth: Int) -> Int {
        abs(word.count - depth) > maximum ? maximum + 1 : Int(cells[depth * (word.count + 1) + word.count])
    }

    /// Computes the row of `depth`.
    ///
    /// - Returns: The smallest distance in the row.
    private func computeRow(_ scalar: UInt32) -> Int {
        let width = word.count + 1
        let (row, previous) = (depth * width, (depth - 1) * width)
        let far = UInt8(maximum + 1)
        let (first, end) = (max(1, depth - maximum), min(word.count, depth + maximum) + 1)
        guard first < end else { return maximum + 1 }
        var smallest = far
        if first == 1 {
            cells[row] = UInt8(min(depth, maximum + 1))
            smallest = cells[row]
        } else {
            cells[row + first - 1] = far
        }
        for column in first..<end {
            let letter = word[column - 1]
            var distance = cells[previous + column - 1] &+ (letter == scalar ? 0 : 1)
            distance = min(distance, cells[previous + column] &+ 1, cells[row + column - 1] &+ 1)
            if depth > 1, column > 1, letter == scalars[depth - 1], word[column - 2] == scalar {
                distance = min(distance, cells[previous - width + column - 2] &+ 1)
            }
            cells[row + column] = min(distance, far)
            smallest = min(smallest, cells[row + column])
        }
        if end < width { cells[row + end] = far }
        return Int(smallest)
    }
}

/// The best matches found so far.
private struct BestMatches {
    let limit: Int
    private var matches: [TermAutomaton.Match] = []

    /// The worst match that is worth inserting.
    private var worst: (typoCount: Int, frequencyClass: UInt8)?

    init(limit: Int) { self.limit = limit }

    /// Inserts the current term of a cursor, unless there are enough better ones.
    mutating func insert(_ cursor: TermCursor, _ typoCount: Int) {
        let frequencyClass = cursor.frequencyClass
        if let worst {
            if typoCount > worst.typoCount { return }
            if typoCount == worst.typoCount && frequencyClass <= worst.frequencyClass { return }
        }
        let term = String(decoding: cursor.current, as: UTF8.self)
        matches.append(TermAutomaton.Match(term: term, typoCount: typoCount, frequencyClass: frequencyClass))
        if matches.count >= 4 * limit { removeWorst() }
    }

    private mutating func removeWorst() {
        sort()
        if matches.count > limit { matches.removeLast(matches.count - limit) }
        if matches.count == limit { worst = matches.last.map { ($0.typoCount, $0.frequencyClass) } }
    }

    private mutating func sort() {
        matches.sort { first, second in
            if first.typoCount != second.typoCount { return first.typoCount < second.typoCount }
            if first.frequencyClass != second.frequencyClass { return first.frequencyClass > second.frequencyClass }
            return first.term.utf8.lexicographicallyPrecedes(second.term.utf8)
        }
    }

    mutating func sorted() -> [TermAutomaton.Match] {
        removeWorst()
        return matches
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The Unicode scalar at a position, and its number of bytes. A byte that isn't part of valid UTF-8 is a number
    /// that no scalar has.
    fileprivate func scalar(at place: Int) -> (scalar: UInt32, count: Int) {
        let first = self[place]
        if first < 0x80 { return (UInt32(first), 1) }
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC0, place + count <= self.count else { return (0xDC00 + UInt32(first), 1) }
        var scalar = UInt32(first) & (0x7F >> UInt32(count))
        for offset in 1..<count {
            let byte = self[place + offset]
            guard byte & 0xC0 == 0x80 else { return (0xDC00 + UInt32(first), 1) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        return (scalar, count)
    }
}
