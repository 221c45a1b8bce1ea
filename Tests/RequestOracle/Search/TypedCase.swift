import Amalgam
import Foundation

/// A request with typed columns of a record. The rows are those of a Swift array, filtered by the operators of Swift.
struct TypedCase: CustomStringConvertible {
    private var items: [Item] = []
    private var condition: TypedCondition
    private var order: TypedOrder

    /// All names that the search must find.
    static let features = [kind] + TypedCondition.names + TypedOrder.allCases.map { "typed order \($0)" }

    static let kind = "request with typed columns"

    init(seed: UInt64) {
        var random = Random(seed: seed &+ 0x5EED)
        for id in 0..<random.count(1...8) { items.append(Item(id: Int64(id + 1), &random)) }
        condition = TypedCondition(&random, depth: 2)
        order = random.pick(TypedOrder.allCases)
    }

    var features: Set<String> { condition.names.union(["typed order \(order)", Self.kind]) }

    var description: String { "Item.filter { \(condition) }.order(\(order)) of \(items)" }

    private var expected: [Item] { order.sorted(items.filter { condition.holds(for: $0) == true }) }

    var isEmpty: Bool { expected.isEmpty }

    /// Returns why the fetched records aren't those of the array; nil if they are.
    func difference(_ db: Database) throws -> String? {
        try db.create(table: "item") { t in
            t.primaryKey("id", .integer)
            t.column("name", .text)
            t.column("count", .integer).notNull()
            t.column("price", .double)
            t.column("kind", .text).notNull()
            t.column("level", .integer)
            t.column("token", .blob).notNull()
            t.column("date", .datetime)
            t.column("isActive", .boolean).notNull()
        }
        for item in items { try item.insert(db) }
        let request = Item.filter { _ in condition.sql }.order(order.term, Item.Columns.id)
        let fetched = try request.fetchAll(db)
        if fetched != expected { return "\(fetched) instead of \(expected)" }
        let count = try request.fetchCount(db)
        if count != expected.count { return "fetchCount returns \(count) for \(expected.count) records" }
        return try aggregateDifference(db)
    }

    private func aggregateDifference(_ db: Database) throws -> String? {
        let request = Item.filter { _ in condition.sql }
        let latest = try request.select(max(Item.Columns.date), as: Date.self).fetchOne(db)
        if latest != expected.compactMap(\.date).max() { return "the latest date is \(String(describing: latest))" }
        let total = try request.select(sum(Item.Columns.count), as: Int.self).fetchOne(db)
        let expectedTotal = expected.isEmpty ? nil : expected.map(\.count).reduce(0, +)
        if total != expectedTotal { return "the sum is \(String(describing: total))" }
        let least = try request.select(min(Item.Columns.price), as: Double.self).fetchOne(db)
        return least == expected.compactMap(\.price).min() ? nil : "the lowest price is \(String(describing: least))"
    }
}

/// A record that is stored in all usual formats.
struct Item: Codable, Equatable, FetchableRecord, PersistableRecord, CustomStringConvertible {
    enum Kind: String, Codable, CaseIterable, DatabaseValueConvertible { case red, green, blue }

    enum Level: Int, Codable, CaseIterable, DatabaseValueConvertible { case low = 1, middle, high }

    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let name = TypedColumn<String?>("name")
        static let count = TypedColumn<Int>("count")
        static let price = TypedColumn<Double?>("price")
        static let kind = TypedColumn<Kind>("kind")
        static let level = TypedColumn<Level?>("level")
        static let token = TypedColumn<UUID>("token")
        static let date = TypedColumn<Date?>("date")
        static let isActive = TypedColumn<Bool>("isActive")
    }

    var id: Int64
    var name: String?
    var count: Int
    var price: Double?
    var kind: Kind
    var level: Level?
    var token: UUID
    var date: Date?
    var isActive: Bool

    static let databaseTableName = "item"

    static let tokens = (0..<4 as Range<UInt8>).map {
        UUID(uuid: ($0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, $0))
    }
    static let dates = [-86_400.5, 0, 1, 1.5, 1e9].map { Date(timeIntervalSince1970: $0) }

    init(id: Int64, _ random: inout Random) {
        self.id = id
        name = random.chance(25) ? nil : random.pick(["a", "A", "b", "", "é", "ab"])
        count = random.pick([-2, 0, 1, 2, 3, 100])
        price = random.chance(25) ? nil : random.pick([-1.5, 0, 0.25, 1, 2])
        kind = random.pick(Kind.allCases)
        level = random.chance(25) ? nil : random.pick(Level.allCases)
        token = random.pick(Self.tokens)
        date = random.chance(25) ? nil : random.pick(Self.dates)
        isActive = random.chance(50)
    }

    var description: String {
        let name = name.map { "\"\($0)\"" } ?? "nil"
        let date = date.map { "\($0.timeIntervalSince1970)" } ?? "nil"
        let (price, level) = (price.map { "\($0)" } ?? "nil", level.map { "\($0)" } ?? "nil")
        return "(\(id), \(name), \(count), \(price), \(kind), \(level), \(token), \(date), \(isActive))"
    }
}

/// The order of the records, behind which they're sorted by their identifiers.
enum TypedOrder: CaseIterable {
    case id, countDescending, kind, dateDescending, isActive

    var term: any SQLOrderingTerm {
        switch self {
        case .id: Item.Columns.id
        case .countDescending: Item.Columns.count.desc
        case .kind: Item.Columns.kind
        case .dateDescending: Item.Columns.date.desc
        case .isActive: Item.Columns.isActive
        }
    }

    func sorted(_ items: [Item]) -> [Item] {
        items.sorted { left, right in
            let (first, second) = (isBefore(left, right), isBefore(right, left))
            return first == second ? left.id < right.id : first
        }
    }

    private func isBefore(_ left: Item, _ right: Item) -> Bool {
        switch self {
        case .id: left.id < right.id
        case .countDescending: left.count > right.count
        case .kind: left.kind.rawValue < right.kind.rawValue
        case .dateDescending: (left.date ?? .distantPast) > (right.date ?? .distantPast)
        case .isActive: !left.isActive && right.isActive
        }
    }
}
