internal import Foundation

/// Encodes text and its marks (the ranges of matches) as one BLOB with three parts:
/// - the number of marks;
/// - for each mark, the index of the phrase, the start and the end, as byte offsets in the text;
/// - the text.
///
/// Numbers are 32-bit integers in little-endian order.
enum MarkedBytes {
    struct Mark {
        let phrase: Int
        let start: Int
        let end: Int

        func moved(by offset: Int) -> Mark { Mark(phrase: phrase, start: start + offset, end: end + offset) }

        /// The part of the mark in a range, with offsets in this range. Nil if there is none.
        func clipped(to range: Range<Int>) -> Mark? {
            guard start < range.upperBound, end > range.lowerBound, start < end else { return nil }
            return Mark(
                phrase: phrase, start: max(start, range.lowerBound) - range.lowerBound,
                end: min(end, range.upperBound) - range.lowerBound)
        }
    }

    static func encode(_ text: UnsafeRawBufferPointer, _ marks: [Mark]) -> Data {
        var data = Data(capacity: 4 * (1 + 3 * marks.count) + text.count)
        data.append(number: marks.count)
        for mark in marks {
            data.append(number: mark.phrase)
            data.append(number: mark.start)
            data.append(number: mark.end)
        }
        data.append(contentsOf: text)
        return data
    }

    /// - Returns: nil if the bytes aren't in this format.
    static func decode(_ data: Data) -> (text: Data, marks: [Mark])? {
        var rest = data[...]
        guard let count = rest.popNumber(), count <= rest.count / 12 else { return nil }
        var marks: [Mark] = []
        for _ in 0..<count {
            guard let phrase = rest.popNumber(), let start = rest.popNumber(), let end = rest.popNumber() else {
                return nil
            }
            marks.append(Mark(phrase: phrase, start: start, end: end))
        }
        return (rest, marks)
    }
}

/// Encodes the pieces of a snippet as one BLOB. It begins with a number that is too large for the number of marks, so
/// that a snippet isn't decoded as one marked text, or vice versa. The next numbers are the column, two flags and the
/// number of pieces. Each piece, in the format of `MarkedBytes`, follows its number of bytes.
struct SnippetBytes {
    private static let signature = Int(UInt32.max)

    let column: Int
    let omitsBeginning: Bool
    let omitsEnd: Bool
    let pieces: [Data]

    var encoded: Data {
        var data = Data()
        let flags = (omitsBeginning ? 1 : 0) | (omitsEnd ? 2 : 0)
        for number in [Self.signature, column, flags, pieces.count] { data.append(number: number) }
        for piece in pieces {
            data.append(number: piece.count)
            data.append(piece)
        }
        return data
    }
}

extension SnippetBytes {
    /// - Returns: nil if the bytes aren't in this format.
    init?(_ data: Data) {
        var rest = data[...]
        guard rest.popNumber() == Self.signature, let column = rest.popNumber(), let flags = rest.popNumber(),
            let count = rest.popNumber(), count <= rest.count / 8
        else { return nil }
        var pieces: [Data] = []
        for _ in 0..<count {
            guard let size = rest.popNumber(), size <= rest.count else { return nil }
            pieces.append(Data(rest.prefix(size)))
            rest.removeFirst(size)
        }
        self.init(column: column, omitsBeginning: flags & 1 != 0, omitsEnd: flags & 2 != 0, pieces: pieces)
    }
}

extension Data {
    fileprivate mutating func append(number: Int) {
        Swift.withUnsafeBytes(of: UInt32(clamping: number).littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func popNumber() -> Int? {
        guard count >= 4 else { return nil }
        let number = prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        removeFirst(4)
        return number
    }
}
