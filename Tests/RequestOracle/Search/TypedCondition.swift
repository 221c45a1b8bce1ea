import Amalgam
import Foundation

/// A condition on typed columns, in SQL and in Swift.
indirect enum TypedCondition: CustomStringConvertible {
    case nameIs(String?)
    case nameIsNot(String?)
    case nameIn([String])
    case countIn(ClosedRange<Int>)
    case countLess(Int)
    case priceAtLeast(Double)
    case priceBelow(Double)
    case kindIs(Item.Kind)
    case kindIn([Item.Kind])
    case levelIs(Item.Level?)
    case tokenIs(UUID)
    case tokenIn([UUID])
    case dateBefore(Date)
    case dateIs(Date?)
    case dateIn(Range<Date>)
    case isActive(Bool)
    case countIsID
    case not(TypedCondition)
    case and(TypedCondition, TypedCondition)
    case or(TypedCondition, TypedCondition)

    static let names = [
        "nameIs", "nameIsNot", "nameIn", "countIn", "countLess", "priceAtLeast", "priceBelow", "kindIs", "kindIn",
        "levelIs", "tokenIs", "tokenIn", "dateBefore", "dateIs", "dateIn", "isActive", "countIsID", "not", "and", "or",
    ].map { "typed \($0)" }

    init(_ random: inout Random, depth: Int) {
        if depth > 0 && random.chance(60) {
            let first = TypedCondition(&random, depth: depth - 1)
            switch random.next(below: 3) {
            case 0: self = .not(first)
            case 1: self = .and(first, TypedCondition(&random, depth: depth - 1))
            default: self = .or(first, TypedCondition(&random, depth: depth - 1))
            }
            return
        }
        let name = random.pick(["a", "A", "b", "é", ""])
        let date = random.pick(Item.dates)
        switch random.next(below: 17) {
        case 0: self = .nameIs(random.chance(25) ? nil : name)
        case 1: self = .nameIsNot(random.chance(25) ? nil : name)
        case 2: self = .nameIn([name, "ab"])
        case 3: self = .countIn(0...random.count(0...3))
        case 4: self = .countLess(random.count(0...3))
        case 5: self = .priceAtLeast(random.pick([0, 0.25, 1]))
        case 6: self = .priceBelow(random.pick([0, 0.25, 1]))
        case 7: self = .kindIs(random.pick(Item.Kind.allCases))
        case 8: self = .kindIn([random.pick(Item.Kind.allCases), .blue])
        case 9: self = .levelIs(random.chance(25) ? nil : random.pick(Item.Level.allCases))
        case 10: self = .tokenIs(random.pick(Item.tokens))
        case 11: self = .tokenIn([random.pick(Item.tokens), Item.tokens[0]])
        case 12: self = .dateBefore(date)
        case 13: self = .dateIs(random.chance(25) ? nil : date)
        case 14: self = .dateIn(date..<(date + 1.25))
        case 15: self = .isActive(random.chance(50))
        default: self = .countIsID
        }
    }

    var sql: SQLExpression {
        let columns = Item.Columns.self
        switch self {
        case .nameIs(let name): return columns.name == name
        case .nameIsNot(let name): return columns.name != name
        case .nameIn(let names): return names.contains(columns.name)
        case .countIn(let range): return range.contains(columns.count)
        case .countLess(let count): return columns.count < count
        case .priceAtLeast(let price): return columns.price >= price
        case .priceBelow(let price): return columns.price < price
        case .kindIs(let kind): return columns.kind == kind
        case .kindIn(let kinds): return kinds.contains(columns.kind)
        case .levelIs(let level): return columns.level == level
        case .tokenIs(let token): return columns.token == token
        case .tokenIn(let tokens): return tokens.contains(columns.token)
        case .dateBefore(let date): return columns.date < date
        case .dateIs(let date): return columns.date == date
        case .dateIn(let range): return range.contains(columns.date)
        case .isActive(let isActive): return columns.isActive == isActive
        case .countIsID: return columns.count.sqlExpression == columns.id.sqlExpression
        case .not(let condition): return !condition.sql
        case .and(let left, let right): return left.sql && right.sql
        case .or(let left, let right): return left.sql || right.sql
        }
    }

    /// Whether the condition holds; nil where SQL has NULL.
    func holds(for item: Item) -> Bool? {
        switch self {
        case .nameIs(nil): item.name == nil
        case .nameIsNot(nil): item.name != nil
        case .nameIs(let name?): item.name.map { $0 == name }
        case .nameIsNot(let name?): item.name.map { $0 != name }
        case .nameIn(let names): item.name.map(names.contains)
        case .countIn(let range): range.contains(item.count)
        case .countLess(let count): item.count < count
        case .priceAtLeast(let price): item.price.map { $0 >= price }
        case .priceBelow(let price): item.price.map { $0 < price }
        case .kindIs(let kind): item.kind == kind
        case .kindIn(let kinds): kinds.contains(item.kind)
        case .levelIs(nil): item.level == nil
        case .levelIs(let level?): item.level.map { $0 == level }
        case .tokenIs(let token): item.token == token
        case .tokenIn(let tokens): tokens.contains(item.token)
        case .dateBefore(let date): item.date.map { $0 < date }
        case .dateIs(nil): item.date == nil
        case .dateIs(let date?): item.date.map { $0 == date }
        case .dateIn(let range): item.date.map(range.contains)
        case .isActive(let isActive): item.isActive == isActive
        case .countIsID: Int64(item.count) == item.id
        case .not(let condition): condition.holds(for: item).map { !$0 }
        case .and(let left, let right): Logic.and([left.holds(for: item), right.holds(for: item)])
        case .or(let left, let right): Logic.or([left.holds(for: item), right.holds(for: item)])
        }
    }

    /// The features of the condition.
    var names: Set<String> {
        // The label of an enum's value is the name of its case.
        let name = "typed \(Mirror(reflecting: self).children.first?.label ?? "")"
        switch self {
        case .not(let condition): return condition.names.union([name])
        case .and(let left, let right), .or(let left, let right): return left.names.union(right.names).union([name])
        default: return [name]
        }
    }

    /// The condition as Swift.
    var description: String {
        switch self {
        case .nameIs(let name): "$0.name == \(name.map { "\"\($0)\"" } ?? "nil")"
        case .nameIsNot(let name): "$0.name != \(name.map { "\"\($0)\"" } ?? "nil")"
        case .nameIn(let names): "\(names).contains($0.name)"
        case .countIn(let range): "(\(range)).contains($0.count)"
        case .countLess(let count): "$0.count < \(count)"
        case .priceAtLeast(let price): "$0.price >= \(price)"
        case .priceBelow(let price): "$0.price < \(price)"
        case .kindIs(let kind): "$0.kind == .\(kind)"
        case .kindIn(let kinds): "\(kinds).contains($0.kind)"
        case .levelIs(let level): "$0.level == \(level.map { ".\($0)" } ?? "nil")"
        case .tokenIs(let token): "$0.token == UUID(uuidString: \"\(token)\")!"
        case .tokenIn(let tokens): "\(tokens).contains($0.token)"
        case .dateBefore(let date): "$0.date < Date(timeIntervalSince1970: \(date.timeIntervalSince1970))"
        case .dateIs(let date):
            "$0.date == \(date.map { "Date(timeIntervalSince1970: \($0.timeIntervalSince1970))" } ?? "nil")"
        case .dateIn(let range): "(\(range)).contains($0.date)"
        case .isActive(let isActive): "$0.isActive == \(isActive)"
        case .countIsID: "$0.count.sqlExpression == $0.id.sqlExpression"
        case .not(let condition): "!(\(condition))"
        case .and(let left, let right): "(\(left)) && (\(right))"
        case .or(let left, let right): "(\(left)) || (\(right))"
        }
    }
}
