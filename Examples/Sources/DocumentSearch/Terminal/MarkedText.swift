import Amalgam

/// A string with marked ranges, for a terminal.
struct MarkedText: Equatable {
    let pieces: [Piece]

    /// Pieces without spaces between them.
    typealias Word = [Piece]

    struct Piece: Equatable {
        var text: String
        var isMarked: Bool
    }

    /// Returns the words in lines with a maximum number of columns.
    func lines(of columns: Int) -> [[Word]] {
        var lines: [[Word]] = []
        var rest = 0
        for word in words {
            let count = word.reduce(1) { $0 + $1.text.count }
            if lines.isEmpty || rest < count {
                lines.append([])
                rest = columns + 1
            }
            lines[lines.count - 1].append(word)
            rest -= count
        }
        return lines
    }

    /// The words, with at most 50 characters each, and without comment signs.
    var words: [Word] {
        var words: [Word] = [[]]
        for piece in pieces {
            for character in piece.text {
                if !character.isWhitespace {
                    words[words.count - 1].append(character, isMarked: piece.isMarked)
                } else if !words[words.count - 1].isEmpty {
                    words.append([])
                }
            }
        }
        return words.filter { word in word.contains { !$0.text.allSatisfy("#*/".contains) } }
    }
}

extension MarkedText {
    init(_ text: FTS5MarkedText) {
        pieces = text.segments.map { Piece(text: String($0.text), isMarked: $0.isMarked) }
    }
}

extension MarkedText.Word {
    fileprivate mutating func append(_ character: Character, isMarked: Bool) {
        if reduce(0, { $0 + $1.text.count }) >= 50 { return }
        if last?.isMarked != isMarked { append(MarkedText.Piece(text: "", isMarked: isMarked)) }
        self[count - 1].text.append(character)
    }
}
