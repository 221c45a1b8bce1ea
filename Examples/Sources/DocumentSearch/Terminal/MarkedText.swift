/// A text in which words are marked, as FTS5 gives it.
struct MarkedText: Equatable {
    /// Control characters: they are not in the way of anything a terminal may show.
    static let open: Character = "\u{2}"
    static let close: Character = "\u{3}"

    let marked: String

    /// Pieces without blanks between them.
    typealias Word = [Piece]

    struct Piece: Equatable {
        var text: String
        var isMarked: Bool
    }

    /// The words in lines of at most so many columns.
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

    /// Words of no more than 50 characters: the rest of a longer one is not shown, nor are comment signs.
    var words: [Word] {
        var words: [Word] = [[]]
        var isMarked = false
        for character in marked {
            switch character {
            case Self.open: isMarked = true
            case Self.close: isMarked = false
            case _ where character.isWhitespace: if !words[words.count - 1].isEmpty { words.append([]) }
            default: words[words.count - 1].append(character, isMarked: isMarked)
            }
        }
        return words.filter { word in word.contains { !$0.text.allSatisfy("#*/".contains) } }
    }
}

extension MarkedText.Word {
    fileprivate mutating func append(_ character: Character, isMarked: Bool) {
        if reduce(0, { $0 + $1.text.count }) >= 50 { return }
        if last?.isMarked != isMarked { append(MarkedText.Piece(text: "", isMarked: isMarked)) }
        self[count - 1].text.append(character)
    }
}
