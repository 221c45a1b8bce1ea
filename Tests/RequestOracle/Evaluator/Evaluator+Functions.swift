// The functions of <https://sqlite.org/lang_corefunc.html>.

extension Evaluator {
    func call(_ function: Function, _ arguments: [Expr], _ env: Env) throws -> Cell {
        switch function {
        case .coalesce, .ifNull:
            // SQLite evaluates no argument behind the first one that isn't NULL.
            for argument in arguments {
                let value = try evaluate(argument, env)
                if !value.isNull { return value }
            }
            return .null
        case .iif: return try evaluate(arguments[try isTrue(arguments[0], env) == true ? 1 : 2], env)
        case .nullIf, .min, .max:
            let values = try arguments.map { try evaluate($0, env) }
            return try compareAll(function, values, collation: functionCollation(arguments))
        default:
            let values = try arguments.map { try evaluate($0, env) }
            if function == .typeof { return .string(values[0].typeName) }
            if function == .hex { return .string(Cell.hex(try values[0].bytes ?? [])) }
            if values.contains(.null) { return .null }
            return try call(function, values)
        }
    }

    /// The collation of the first argument that has one.
    private func functionCollation(_ arguments: [Expr]) throws -> ExprCollation {
        for argument in arguments {
            let collation = try collation(of: argument)
            if collation != .none { return collation }
        }
        return .none
    }

    private func compareAll(_ function: Function, _ values: [Cell], collation: ExprCollation) throws -> Cell {
        let results = try collation.candidates.map { collation -> Cell in
            if function == .nullIf {
                return values[0].compared(with: values[1], collation) == .equal ? .null : values[0]
            }
            if values.contains(.null) { return .null }
            // Of equal values, max() returns the first one, and min() the last one or the first one, by version.
            let wanted: Sign = function == .min ? .less : .greater
            let best = values.dropFirst().reduce(values[0]) { $1.compared(with: $0, collation) == wanted ? $1 : $0 }
            if values.contains(where: { $0 != best && $0.compared(with: best, collation) == .equal }) {
                throw Undecided.ambiguous("the least or the greatest of equal values")
            }
            return best
        }
        if Set(results).count > 1 { throw Undecided.ambiguous("the collation of a subquery's column") }
        return results[0]
    }

    private func call(_ function: Function, _ values: [Cell]) throws -> Cell {
        switch function {
        case .abs:
            if case .integer(let number) = values[0] {
                if number == .min { throw Undecided.uncomputed("an overflow") }
                return .integer(Swift.abs(number))
            }
            return .real(Swift.abs(try values[0].operand.double))
        case .length:
            if case .blob(let bytes) = values[0] { return .integer(Int64(bytes.count)) }
            return .integer(Int64(try characters(values[0]).count))
        case .octetLength: return .integer(Int64(try values[0].bytes!.count))
        case .lower: return .text(try letters(values[0], from: 0x41...0x5A, by: 32))
        case .upper: return .text(try letters(values[0], from: 0x61...0x7A, by: -32))
        case .substr: return try substring(values)
        case .instr: return try position(values[0], values[1])
        case .replace: return try replace(values)
        case .trim, .ltrim, .rtrim: return try trim(function, values[0])
        case .round:
            let number = try values[0].operand.double
            guard Swift.abs(number) < 1e12 else { throw Undecided.uncomputed("a rounded large number") }
            return .real(number < 0 ? -(-number + 0.5).rounded(.down) + 0 : (number + 0.5).rounded(.down))
        case .sign: return try sign(values[0])
        case .unicode: return try characters(values[0]).first.map { .integer(Int64($0.value)) } ?? .null
        default: throw Undecided.uncomputed("\(function)")
        }
    }

    private func characters(_ value: Cell) throws -> [Unicode.Scalar] {
        if case .blob = value { throw Undecided.ambiguous("a blob as a string") }
        return Array(String(decoding: try value.bytes!, as: UTF8.self).unicodeScalars)
    }

    private func text(_ characters: some Sequence<Unicode.Scalar>) -> Cell {
        .string(characters.reduce(into: "") { $0.unicodeScalars.append($1) })
    }

    private func letters(_ value: Cell, from letters: ClosedRange<UInt8>, by distance: Int) throws -> [UInt8] {
        try value.bytes!.map { letters.contains($0) ? UInt8(Int($0) + distance) : $0 }
    }

    /// Negative positions count from the end, negative lengths take the characters before the position.
    private func substring(_ values: [Cell]) throws -> Cell {
        let characters = try characters(values[0])
        let count = characters.count
        guard let start = Int(exactly: try values[1].integer!), Swift.abs(start) < 1000 else {
            throw Undecided.uncomputed("a far substring")
        }
        var length = count + 1000
        if values.count > 2 {
            guard let given = Int(exactly: try values[2].integer!), Swift.abs(given) < 1000 else {
                throw Undecided.uncomputed("a long substring")
            }
            length = given
        }
        // Positions from 1; position 0 is the one in front of the first character.
        let position = start < 0 ? count + start + 1 : start
        let range = length < 0 ? position + length..<position : position..<position + length
        return text((1..<count + 1).filter { range.contains($0) }.map { characters[$0 - 1] })
    }

    private func position(_ string: Cell, _ searched: Cell) throws -> Cell {
        let (string, searched) = (try characters(string), try characters(searched))
        guard string.count >= searched.count else { return .integer(0) }
        let position = (0...string.count - searched.count).first { string[$0...].starts(with: searched) }
        return .integer(Int64(position.map { $0 + 1 } ?? 0))
    }

    private func replace(_ values: [Cell]) throws -> Cell {
        let (string, old) = (try characters(values[0]), try characters(values[1]))
        if old.isEmpty {
            // Older versions return the value with its type.
            guard case .text = values[0] else { throw Undecided.ambiguous("an empty pattern in replace()") }
            return values[0]
        }
        let new = try characters(values[2])
        var (result, position): ([Unicode.Scalar], Int) = ([], 0)
        while position < string.count {
            if string[position...].starts(with: old) {
                result += new
                position += old.count
            } else {
                result.append(string[position])
                position += 1
            }
        }
        return text(result)
    }

    private func trim(_ function: Function, _ value: Cell) throws -> Cell {
        var characters = try characters(value)[...]
        if function != .rtrim { characters = characters.drop { $0 == " " } }
        if function != .ltrim { while characters.last == " " { characters.removeLast() } }
        return text(characters)
    }

    private func sign(_ value: Cell) throws -> Cell {
        guard let number = try value.stored(as: .numeric).nonText else { return .null }
        return .integer(number.double > 0 ? 1 : number.double < 0 ? -1 : 0)
    }
}

extension Cell {
    fileprivate var nonText: Cell? { isNumber ? self : nil }

    var typeName: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .blob: "blob"
        }
    }
}
