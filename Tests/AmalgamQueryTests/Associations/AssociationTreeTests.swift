import Amalgam
import TestSupport
import Testing

/// A way to use an association.
private enum Use: CaseIterable {
    case required, optional, all
}

private enum AnyAssociation {
    case belongsTo(BelongsToAssociation<Row, Row>)
    case hasOne(HasOneAssociation<Row, Row>)
    case hasMany(HasManyAssociation<Row, Row>)
    case through(HasManyThroughAssociation<Row, Row>)
}

/// The pairs of columns by which the rows of one table lead to those of another.
private struct TableHop {
    let table: String
    let columns: [(left: String, right: String)]
}

/// An association, and the hops that implement it by loops over arrays.
private struct Link {
    let origin: String
    let hops: [TableHop]
    let isToOne: Bool

    /// Returns the association. An intermediate table has the given key.
    let association: (_ pivotKey: String) -> AnyAssociation

    var target: String { hops[hops.count - 1].table }
}

/// A table, and the associations that a request uses from there.
private struct Node: CustomStringConvertible {
    let table: String
    var edges: [(key: String, link: Link, use: Use, target: Node)] = []

    var description: String {
        "\(table)(\(edges.map { "\($0.use) \($0.key): \($0.target)" }.joined(separator: ", ")))"
    }
}

private let (person, kind, leaf, wall) = (Table("person"), Table("kind"), Table("leaf"), Table("wall"))

private func links() -> [Link] {
    let kindPerson = TableHop(table: "kind", columns: [("id", "personId")])
    let kindLeaf = TableHop(table: "leaf", columns: [("id", "kindId")])
    let wallLeaf = TableHop(table: "leaf", columns: [("a", "wallA"), ("b", "wallB")])
    let leafKind = TableHop(table: "kind", columns: [("kindId", "id")])
    let (personKey, kindKey, parentKey) = (ForeignKey(["personId"]), ForeignKey(["kindId"]), ForeignKey(["parentId"]))
    let wallKey = ForeignKey(["wallA", "wallB"])
    return [
        Link(origin: "person", hops: [kindPerson], isToOne: false) { _ in
            .hasMany(person.hasMany(kind, using: personKey))
        },
        Link(origin: "person", hops: [kindPerson], isToOne: true) { _ in
            .hasOne(person.hasOne(kind, using: personKey))
        },
        Link(origin: "person", hops: [TableHop(table: "person", columns: [("parentId", "id")])], isToOne: true) { _ in
            .belongsTo(person.belongsTo(person, using: parentKey))
        },
        Link(origin: "person", hops: [TableHop(table: "person", columns: [("id", "parentId")])], isToOne: false) { _ in
            .hasMany(person.hasMany(person, using: parentKey))
        },
        Link(origin: "person", hops: [kindPerson, kindLeaf], isToOne: false) { key in
            let pivot = person.hasMany(kind, using: personKey).forKey(key)
            return .through(person.hasMany(Row.self, through: pivot, using: kind.hasMany(leaf, using: kindKey)))
        },
        Link(origin: "kind", hops: [TableHop(table: "person", columns: [("personId", "id")])], isToOne: true) { _ in
            .belongsTo(kind.belongsTo(person, using: personKey))
        },
        Link(origin: "kind", hops: [kindLeaf], isToOne: false) { _ in .hasMany(kind.hasMany(leaf, using: kindKey)) },
        Link(
            origin: "kind", hops: [TableHop(table: "person", columns: [("personId", "id")]), kindPerson], isToOne: false
        ) { key in
            let pivot = kind.belongsTo(person, using: personKey).forKey(key)
            return .through(kind.hasMany(Row.self, through: pivot, using: person.hasMany(kind, using: personKey)))
        },
        Link(origin: "leaf", hops: [leafKind], isToOne: true) { _ in .belongsTo(leaf.belongsTo(kind, using: kindKey)) },
        Link(
            origin: "leaf", hops: [TableHop(table: "wall", columns: [("wallA", "a"), ("wallB", "b")])], isToOne: true
        ) { _ in .belongsTo(leaf.belongsTo(wall, using: wallKey)) },
        Link(origin: "wall", hops: [wallLeaf], isToOne: false) { _ in .hasMany(wall.hasMany(leaf, using: wallKey)) },
        Link(origin: "wall", hops: [wallLeaf, leafKind], isToOne: false) { key in
            let pivot = wall.hasMany(leaf, using: wallKey).forKey(key)
            return .through(wall.hasMany(Row.self, through: pivot, using: leaf.belongsTo(kind, using: kindKey)))
        },
    ]
}

extension DerivableRequest where RowDecoder == Row {
    /// Adds the associations of a node.
    fileprivate func adding(_ node: Node) -> Self {
        node.edges.reduce(self) { request, edge in
            switch edge.link.association(edge.key + "Pivot") {
            case .belongsTo(let link): request.adding(one: link.adding(edge.target).forKey(edge.key), edge.use)
            case .hasOne(let link): request.adding(one: link.adding(edge.target).forKey(edge.key), edge.use)
            case .hasMany(let link): request.adding(many: link.adding(edge.target).forKey(edge.key), edge.use)
            case .through(let link): request.adding(many: link.adding(edge.target).forKey(edge.key), edge.use)
            }
        }
    }

    private func adding<A: Association>(one association: A, _ use: Use) -> Self where A.OriginRowDecoder == Row {
        use == .required ? including(required: association) : including(optional: association)
    }

    private func adding<A: AssociationToMany>(
        many association: A, _ use: Use
    ) -> Self where A.OriginRowDecoder == Row {
        use == .all ? including(all: association) : adding(one: association, use)
    }
}

@Suite("Trees of associations fetch what loops over arrays give")
struct AssociationTreeTests {
    /// Returns a random tree. A required association behind an optional one is refused.
    private func node(
        _ table: String, depth: Int, isOptional: Bool, _ count: inout Int, _ random: inout SeededGenerator
    ) -> Node {
        var node = Node(table: table)
        for _ in 0..<(depth == 0 ? 0 : Int.random(in: 0...2, using: &random)) {
            let link = links().filter { $0.origin == table }.randomElement(using: &random)!
            var use = Use.allCases.randomElement(using: &random)!
            if link.isToOne && use == .all { use = .required }
            // The rows of an intermediate table would be in the text, too.
            if link.hops.count > 1 { use = .all }
            if isOptional && use == .required { use = .optional }
            count += 1
            let key = "edge\(count)"
            let target = self.node(
                link.target, depth: depth - 1, isOptional: use == .optional || (use == .required && isOptional), &count,
                &random)
            node.edges.append((key, link, use, target))
        }
        return node
    }

    private func fill(_ db: Database, _ random: inout SeededGenerator) throws {
        try db.execute(
            sql: """
                CREATE TABLE person (id INTEGER PRIMARY KEY, parentId INTEGER, number INTEGER);
                CREATE TABLE kind (id INTEGER PRIMARY KEY, personId INTEGER, number INTEGER);
                CREATE TABLE leaf (id INTEGER PRIMARY KEY, kindId INTEGER, wallA INTEGER, wallB INTEGER, number INTEGER);
                CREATE TABLE wall (a TEXT, b INTEGER, number INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
                """)
        func reference() -> Int? { [nil, 1, 2, 3].randomElement(using: &random)! }
        for number in 1...4 {
            let (parent, owner) = (reference(), reference())
            try db.execute(literal: "INSERT INTO person VALUES (\(number), \(parent), \(number))")
            try db.execute(literal: "INSERT INTO kind VALUES (\(number), \(owner), \(10 + number))")
            let (kind, a, b) = (reference(), reference(), reference())
            try db.execute(literal: "INSERT INTO leaf VALUES (\(number), \(kind), \(a), \(b), \(20 + number))")
            // An integer is equal to both strings.
            let text = ["1", "1.0", "2"].randomElement(using: &random)!
            try db.execute(
                literal: "INSERT OR IGNORE INTO wall VALUES (\(text), \(reference() ?? 1), \(30 + number))")
        }
    }

    /// Returns the text of a fetched row, with those of its associations. Rows of an array are sorted.
    private func text(_ row: Row, _ node: Node) -> String {
        guard let number: Int = row["number"] else { return "-" }
        return node.edges.reduce("\(number)") { text, edge in
            if edge.use != .all {
                return text + "(" + (row.scopes[edge.key].map { self.text($0, edge.target) } ?? "?") + ")"
            }
            let rows = row.prefetchedRows[edge.key]?.map { self.text($0, edge.target) } ?? ["?"]
            return text + "[\(rows.sorted().joined(separator: " "))]"
        }
    }

    /// Returns the texts of the rows that a request has for one row of its table.
    private func expectedTexts(_ row: Row, _ node: Node, _ tables: [String: [Row]]) -> [String] {
        node.edges.reduce(["\(row["number"] as Int)"]) { texts, edge in
            let rows = edge.link.hops.reduce([row]) { rows, hop in
                rows.flatMap { row in tables[hop.table]!.filter { hop.joins(row, $0) } }
            }
            var nested = rows.flatMap { expectedTexts($0, edge.target, tables) }
            if edge.use == .all { return texts.map { $0 + "[\(nested.sorted().joined(separator: " "))]" } }
            if edge.use == .optional && nested.isEmpty { nested = ["-"] }
            return texts.flatMap { text in nested.map { "\(text)(\($0))" } }
        }
    }

    @Test("random trees", arguments: seeds(30))
    func randomTrees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try DatabaseQueue().write { db in
            try fill(db, &random)
            let names = ["person", "kind", "leaf", "wall"]
            let tables = Dictionary(
                uniqueKeysWithValues: try names.map { ($0, try Row.fetchAll(db, sql: "SELECT * FROM \($0)")) })
            for _ in 1...15 {
                var count = 0
                let tree = node(names.randomElement(using: &random)!, depth: 3, isOptional: false, &count, &random)
                let texts = try Row.fetchAll(db, Table(tree.table).all().adding(tree)).map { text($0, tree) }
                let expected = tables[tree.table]!.flatMap { expectedTexts($0, tree, tables) }
                #expect(texts.sorted() == expected.sorted(), "\(tree)")
            }
        }
    }
}

extension TableHop {
    /// Returns whether two rows are joined. Strings that are compared with an integer are numbers.
    fileprivate func joins(_ left: Row, _ right: Row) -> Bool {
        columns.allSatisfy { pair in
            guard let left = number(left[pair.left]), let right = number(right[pair.right]) else { return false }
            return left == right
        }
    }

    private func number(_ value: DatabaseValue) -> Double? {
        String.fromDatabaseValue(value).flatMap(Double.init) ?? Double.fromDatabaseValue(value)
    }
}
