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
