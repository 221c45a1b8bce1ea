/// Makes tables that refer to one another, and rows with values of all kinds.
struct WorldGenerator {
    var random: Random

    static let strings = ["", "a", "A", "b", "B", "ab", "a ", "Ab", "1", "01", "2", "2.5", " 3", "10", "2x", "é", "e"]
    static let integers: [Int64] = [-3, -1, 0, 1, 1, 2, 2, 3, 4, 10, 100, -100, 1 << 53]
    static let reals: [Double] = [-2.5, -1, 0, 0.25, 0.5, 1, 1.5, 2, 2.5, 10]

    mutating func world() -> World {
        var world = World()
        let names = (0..<random.count(2...4)).map { "t\($0)" }
        for name in names { world.tables.append(table(name)) }
        // Each table refers to others, and sometimes to itself.
        for index in world.tables.indices {
            for _ in 0..<random.count(1...2) { addReference(to: random.pick(names), in: index, &world) }
        }
        for index in world.tables.indices { fill(index, &world) }
        return world
    }

    private mutating func table(_ name: String) -> TableShape {
        var key = ColumnShape(name: "id", affinity: .integer, isKey: true)
        if random.chance(25) {
            key = ColumnShape(
                name: "code", affinity: .text, collation: random.chance(40) ? .nocase : .binary, isKey: true)
        }
        var columns = [key]
        for name in ["a", "b", "c", "d"].prefix(random.count(2...4)) {
            let affinity = random.pick([Affinity.integer, .integer, .text, .text, .text, .real, .numeric, .blob])
            let collation = random.pick([.binary, .binary, .nocase, Collation.rtrim])
            columns.append(
                ColumnShape(
                    name: name, affinity: affinity, collation: affinity.isNumeric ? .binary : collation,
                    isIndexed: random.chance(20)))
        }
        return TableShape(name: name, columns: columns, isWithoutRowID: random.chance(20))
    }

    private mutating func addReference(to name: String, in index: Int, _ world: inout World) {
        let target = world.table(name).key
        // Sometimes a foreign key has a different type or collation than the key.
        let affinity = random.chance(80) ? target.affinity : random.pick([.integer, .text, .blob])
        let collation = random.chance(70) ? target.collation : random.pick(Collation.allCases)
        let number = world.tables[index].columns.count(where: { $0.reference != nil })
        world.tables[index].columns.append(
            ColumnShape(
                name: "ref\(number)", affinity: affinity, collation: affinity == .text ? collation : .binary,
                isIndexed: random.chance(30), reference: name))
    }

    private mutating func fill(_ index: Int, _ world: inout World) {
        let count = random.chance(8) ? 0 : random.count(1...7)
        var rows: [[Cell]] = []
        for number in 0..<count {
            let row = world.tables[index].columns.map { column -> Cell in
                if column.isKey { return key(column, number) }
                if column.reference != nil && random.chance(85) { return reference() }
                return value(column.affinity)
            }
            rows.append(row)
        }
        world.tables[index].rows = rows
    }

    private func key(_ column: ColumnShape, _ number: Int) -> Cell {
        // Keys that are unique in all collations, and that references can match.
        column.affinity == .integer
            ? .integer(Int64(number + 1)) : .string(["1", "A", "b", "Cc", "2", "d", "é"][number])
    }

    private mutating func reference() -> Cell {
        random.pick([
            .integer(1), .integer(1), .integer(2), .integer(3), .string("A"), .string("a"), .string("b"), .string("B"),
            .string("1"), .string("cc"), .string("A "), .null,
        ])
    }

    mutating func value(_ affinity: Affinity) -> Cell {
        if random.chance(18) { return .null }
        // Most values have the type of the column.
        if random.chance(25) { return anyValue() }
        switch affinity {
        case .integer, .numeric: return .integer(random.pick(Self.integers))
        case .real: return .real(random.pick(Self.reals))
        case .text: return .string(random.pick(Self.strings))
        case .blob: return anyValue()
        }
    }

    private mutating func anyValue() -> Cell {
        switch random.next(below: 8) {
        case 0...2: .integer(random.pick(Self.integers))
        case 3: .real(random.pick(Self.reals))
        case 4...6: .string(random.pick(Self.strings))
        default: .blob(random.pick([[], [0x61], [0x41, 0x62], [0xFF]]))
        }
    }
}
