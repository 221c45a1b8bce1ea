extension Substring {
    /// The index after the last token of an SQL statement, if semicolons or comments follow it; nil otherwise.
    ///
    /// This property recognizes strings, quoted names and comments in the same way as SQLite's tokenizer. An
    /// unterminated comment extends to the end of the SQL.
    package var endBeforeCommentsAndSemicolons: Index? {
        var end = startIndex
        var hasTrimmableEnd = false
        var rest = utf8[...]
        while let token = rest.sqlToken {
            switch token.kind {
            case .blank: break
            case .commentOrSemicolon: hasTrimmableEnd = true
            case .text:
                end = token.end
                hasTrimmableEnd = false
            }
            rest = rest[token.end...]
        }
        return hasTrimmableEnd ? end : nil
    }
}

private enum SQLTokenKind {
    case blank, commentOrSemicolon, text
}

extension Substring.UTF8View {
    /// The kind of the first token, and the index after it; nil for an empty string.
    fileprivate var sqlToken: (kind: SQLTokenKind, end: Index)? {
        guard let byte = first else { return nil }
        let next = index(after: startIndex)
        let second = next < endIndex ? self[next] : 0
        switch byte {
        case 0x20, 0x09...0x0D: return (.blank, next)
        case UInt8(ascii: ";"): return (.commentOrSemicolon, next)
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return (.text, end(behind: byte))
        case UInt8(ascii: "["): return (.text, end(behind: UInt8(ascii: "]")))
        case UInt8(ascii: "-") where second == byte: return (.commentOrSemicolon, end(behind: UInt8(ascii: "\n")))
        case UInt8(ascii: "/") where second == UInt8(ascii: "*"): return (.commentOrSemicolon, endOfBlockComment)
        default: return (.text, next)
        }
    }

    /// Returns the index after the next occurrence of a byte. The first byte of the view is skipped.
    private func end(behind byte: UInt8) -> Index {
        dropFirst().firstIndex(of: byte).map(index(after:)) ?? endIndex
    }

    private var endOfBlockComment: Index {
        var rest = dropFirst(2)
        while let star = rest.firstIndex(of: UInt8(ascii: "*")) {
            rest = rest[index(after: star)...]
            if rest.first == UInt8(ascii: "/") { return index(after: rest.startIndex) }
        }
        return endIndex
    }
}
