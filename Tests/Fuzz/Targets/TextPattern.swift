/// A pattern of LIKE or GLOB, matched by the rules of SQLite's documentation. The time is the product of both lengths.
struct TextPattern {
    enum Kind {
        case like(escape: Unicode.Scalar?)
        case glob
    }

    private enum Part {
        case any
        case one
        case scalar(Unicode.Scalar)
        case set(Set)
        /// An escape at the end, or a set without an end.
        case nothing
    }

    private struct Set {
        var isNegated = false
        var ranges: [ClosedRange<Unicode.Scalar>] = []

        func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar) } != isNegated }
    }

    private var parts: [Part] = []
    private let ignoresCase: Bool

    init(_ pattern: String, _ kind: Kind) {
        var rest = pattern.unicodeScalars[...]
        switch kind {
        case .like(let escape):
            ignoresCase = true
            while let scalar = rest.popFirst() { parts.append(Self.likePart(scalar, escape, &rest)) }
        case .glob:
            ignoresCase = false
            while let scalar = rest.popFirst() { parts.append(Self.globPart(scalar, &rest)) }
        }
    }

    private static func likePart(
        _ scalar: Unicode.Scalar, _ escape: Unicode.Scalar?, _ rest: inout Substring.UnicodeScalarView
    ) -> Part {
        if scalar == escape { return rest.popFirst().map { .scalar($0) } ?? .nothing }
        return scalar == "%" ? .any : scalar == "_" ? .one : .scalar(scalar)
    }

    private static func globPart(_ scalar: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView) -> Part {
        switch scalar {
        case "*": return .any
        case "?": return .one
        case "[": return set(&rest).map { .set($0) } ?? .nothing
        default: return .scalar(scalar)
        }
    }

    /// A bracket at the beginning is a member. A hyphen between two members makes a range, whose end begins no other range.
    private static func set(_ rest: inout Substring.UnicodeScalarView) -> Set? {
        var set = Set()
        if rest.first == "^" {
            set.isNegated = true
            rest.removeFirst()
        }
        if rest.first == "]" { set.ranges.append("]"..."]"); rest.removeFirst() }
        var previous: Unicode.Scalar?
        while let scalar = rest.popFirst() {
            if scalar == "]" { return set }
            if scalar == "-", let start = previous, let end = rest.first, end != "]" {
                rest.removeFirst()
                if start <= end { set.ranges.append(start...end) }
                previous = nil
            } else {
                set.ranges.append(scalar...scalar)
                previous = scalar
            }
        }
        return nil
    }

    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        // Whether the parts so far match the first n scalars.
        var isMatch = [true] + Array(repeating: false, count: scalars.count)
        for part in parts {
            var next = Array(repeating: false, count: scalars.count + 1)
            if case .any = part {
                next[0] = isMatch[0]
                for index in scalars.indices { next[index + 1] = next[index] || isMatch[index + 1] }
            } else {
                for index in scalars.indices where isMatch[index] { next[index + 1] = matches(part, scalars[index]) }
            }
            isMatch = next
        }
        return isMatch[scalars.count]
    }

    private func matches(_ part: Part, _ scalar: Unicode.Scalar) -> Bool {
        switch part {
        case .one: true
        case .scalar(let other): other == scalar || (ignoresCase && Self.folded(other) == Self.folded(scalar))
        case .set(let set): set.contains(scalar)
        case .any, .nothing: false
        }
    }

    /// Only ASCII letters have a case.
    private static func folded(_ scalar: Unicode.Scalar) -> UInt32 {
        ("A"..."Z").contains(scalar) ? scalar.value | 0x20 : scalar.value
    }
}
