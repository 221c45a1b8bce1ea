/// The difference between two strings: the rest after removing their common beginning and end.
struct Difference {
    private let head: String
    private let old: String
    private let new: String
    private let tail: String

    /// Compares bytes, because the strings may be large.
    init(_ old: String, _ new: String) {
        let (old, new) = (Array(old.utf8), Array(new.utf8))
        var start = zip(old, new).prefix { $0 == $1 }.count
        while start > 0, start < old.count, old[start].isContinuation { start -= 1 }
        let (oldRest, newRest) = (old[start...], new[start...])
        var end = zip(oldRest.reversed(), newRest.reversed()).prefix { $0 == $1 }.count
        while end > 0, oldRest[oldRest.endIndex - end].isContinuation { end -= 1 }
        head = String(Self.line(old[..<start].suffix(Self.limit)).drop { $0 == "\u{FFFD}" })
        self.old = Self.line(oldRest.dropLast(end).prefix(Self.limit))
        self.new = Self.line(newRest.dropLast(end).prefix(Self.limit))
        tail = Self.line(oldRest.suffix(end).prefix(Self.limit))
    }

    /// More bytes than are ever shown.
    private static let limit = 1000

    private static func line(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\n", with: "⏎").printable
    }

    /// Returns the differing part of the old string, in a number of columns, with removed parts marked.
    func before(_ columns: Int, mark: (String) -> String) -> String { text(old, columns, mark) }

    /// Returns the differing part of the new string.
    func after(_ columns: Int, mark: (String) -> String) -> String { text(new, columns, mark) }

    private func text(_ middle: String, _ columns: Int, _ mark: (String) -> String) -> String {
        let middle = middle.shortened(to: columns / 2)
        let tail = tail.shortened(to: (columns - middle.count) / 3)
        let rest = columns - middle.count - tail.count
        let head = head.count <= rest ? head : "…" + head.suffix(rest - 1)
        return head + (middle.isEmpty ? "" : mark(middle)) + tail
    }
}

extension UInt8 {
    /// Whether the byte continues a character of UTF-8.
    fileprivate var isContinuation: Bool { self & 0xC0 == 0x80 }
}
