/// Where two texts differ: what is left when their common beginning and end are taken away.
struct Difference {
    private let head: String
    private let old: String
    private let new: String
    private let tail: String

    /// The work is done on bytes: the texts may be large.
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

    /// The old text where it differs, in so many columns, with what is gone in the new one marked.
    func before(_ columns: Int, mark: (String) -> String) -> String { text(old, columns, mark) }

    /// The new text where it differs.
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
    /// Whether the byte goes on with a character of UTF-8 that has begun before it.
    fileprivate var isContinuation: Bool { self & 0xC0 == 0x80 }
}
