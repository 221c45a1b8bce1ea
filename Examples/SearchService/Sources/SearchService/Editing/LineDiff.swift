/// The difference of two strings, by line: what a page shows of a change.
struct LineDiff: Equatable, Sendable {
    struct Line: Equatable, Sendable {
        enum Kind: String, Sendable { case same, added, removed, gap }

        var kind: Kind
        var text: String

        var isAdded: Bool { kind == .added }
    }

    private(set) var lines: [Line] = []

    /// The number of unchanged lines that are shown before and after a change.
    private static let context = 2

    /// More changed lines aren't compared, because that takes too long.
    private static let lineLimit = 4_000

    init(_ old: String, _ new: String) {
        let (old, new) = (Self.lines(old), Self.lines(new))
        var (before, after) = (old[...], new[...])
        let start = zip(old, new).prefix { $0 == $1 }.count
        (before, after) = (before.dropFirst(start), after.dropFirst(start))
        let end = zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.count
        (before, after) = (before.dropLast(end), after.dropLast(end))
        lines = Self.shortened(
            old[..<start].map { Line(kind: .same, text: $0) } + Self.changed(before, after)
                + old[(old.count - end)...].map { Line(kind: .same, text: $0) })
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func changed(_ old: ArraySlice<String>, _ new: ArraySlice<String>) -> [Line] {
        if old.count + new.count > lineLimit {
            return old.map { Line(kind: .removed, text: $0) } + new.map { Line(kind: .added, text: $0) }
        }
        let difference = Array(new).difference(from: Array(old))
        var removed: [Int: String] = [:]
        var added: [Int: String] = [:]
        for change in difference {
            switch change {
            case .remove(let offset, let text, _): removed[offset] = text
            case .insert(let offset, let text, _): added[offset] = text
            }
        }
        return merged(Array(old), removed, Array(new), added)
    }

    private static func merged(
        _ old: [String], _ removed: [Int: String], _ new: [String], _ added: [Int: String]
    ) -> [Line] {
        var lines: [Line] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if let text = removed[i] {
                lines.append(Line(kind: .removed, text: text))
                i += 1
            } else if let text = added[j] {
                lines.append(Line(kind: .added, text: text))
                j += 1
            } else {
                lines.append(Line(kind: .same, text: old[i]))
                (i, j) = (i + 1, j + 1)
            }
        }
        return lines
    }

    /// Replaces unchanged lines that are far from a change by a gap.
    private static func shortened(_ lines: [Line]) -> [Line] {
        let changes = lines.indices.filter { lines[$0].kind != .same }
        var near = Set<Int>()
        for change in changes { near.formUnion(change - context...change + context) }
        return lines.indices.reduce(into: []) { shown, index in
            if near.contains(index) {
                shown.append(lines[index])
            } else if shown.last?.kind != .gap {
                shown.append(Line(kind: .gap, text: "…"))
            }
        }
    }
}
