/// A line of SQL, or of a different string, with a caret below a position.
package struct SQLExcerpt {
    package let text: String

    /// The maximum width of a line in terminal columns. Longer lines are cut.
    private static let width = 100

    /// - Parameter offset: The position in UTF-8 bytes. A position inside of a character means this character.
    package init(_ sql: String, offset: Int) {
        let line = Self.line(of: sql, at: offset)
        var (before, after) = (Array(line.before), Array(line.after))
        Self.cut(&before, &after)
        let indentation = before.map { $0 == "\t" ? "\t" : String(repeating: " ", count: $0.columnCount) }.joined()
        text = String(before) + String(after) + "\n" + indentation + "^"
    }

    private static func line(of sql: String, at offset: Int) -> (before: Substring, after: Substring) {
        var place = sql.utf8.index(sql.startIndex, offsetBy: offset, limitedBy: sql.endIndex) ?? sql.endIndex
        // Moves to the beginning of the character.
        if String.Index(place, within: sql) == nil { place = sql.indices.last { $0 <= place } ?? place }
        let start = sql[..<place].lastIndex(where: \.isNewline).map(sql.index(after:)) ?? sql.startIndex
        let end = sql[place...].firstIndex(where: \.isNewline) ?? sql.endIndex
        return (sql[start..<place], sql[place..<end])
    }

    /// Cuts a long line on both sides, and leaves more columns before the position than after it.
    private static func cut(_ before: inout [Character], _ after: inout [Character]) {
        let afterCount = columns(after)
        if columns(before) + afterCount <= width { return }
        let room = max(width * 6 / 10, width - afterCount)
        if columns(before) > room { before = ["…"] + fitting(before.reversed(), room - 1).reversed() }
        let rest = width - columns(before)
        if afterCount > rest { after = fitting(after, rest - 1) + ["…"] }
    }

    private static func columns(_ characters: [Character]) -> Int {
        characters.reduce(0) { $0 + $1.columnCount }
    }

    private static func fitting(_ characters: some Sequence<Character>, _ width: Int) -> [Character] {
        var used = 0
        return characters.prefix { character in
            used += character.columnCount
            return used <= width
        }
    }
}

extension Character {
    /// The number of terminal columns that the character takes.
    var columnCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.isWide || first.properties.isEmojiPresentation { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        case .control: return self == "\t" ? 1 : 0
        default: return 1
        }
    }
}

extension Unicode.Scalar {
    /// The wide and full-width characters of Unicode's East Asian Width, by block.
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
