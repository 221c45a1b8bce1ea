// Operands of typed columns: those that don't compile, each below the error, and those whose type the compiler doesn't know.

import Foundation

enum OperandKind: String, Codable, DatabaseValueConvertible { case a, b }

struct Operand: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64

    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let name = TypedColumn<String>("name")
        static let team = TypedColumn<String?>("team")
        static let score = TypedColumn<Int>("score")
        static let s16 = TypedColumn<Int16>("s16")
        static let dbl = TypedColumn<Double>("dbl")
        static let dec = TypedColumn<Decimal>("dec")
        static let born = TypedColumn<Date>("born")
        static let uuid = TypedColumn<UUID>("uuid")
        static let kind = TypedColumn<OperandKind>("kind")
        static let tags = TypedColumn<[String]>("tags")
        static let active = TypedColumn<Bool>("active")
        static let gen = TypedColumn<Int>("gen")
        static let price = TypedColumn<Represented<Double>>("price")
        static let rate = TypedColumn<Represented<Double>?>("rate")
    }

    static let others = hasMany(Operand.self)
}

func wrongOperands(_ db: Database) throws {
    // error: '>' is unavailable: the operands have different types
    _ = Operand.filter { $0.score > "ten" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.score == 1.5 }
    // error: '>' is unavailable: the operands have different types
    _ = Operand.filter { $0.score > 1.5 }
    // error: '==' is unavailable: the column isn't optional
    _ = Operand.filter { $0.score == nil }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.score == $0.name }
    // error: '>' is unavailable: the operands have different types
    _ = Operand.filter { $0.score > $0.name }
    // error: 'contains' is unavailable: the column has values of a different type
    _ = Operand.filter { ["a", "b"].contains($0.score) }
    // error: 'contains' is unavailable: the column has values of a different type
    _ = Operand.filter { ("a"..."z").contains($0.score) }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.name == 5 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { 5 == $0.name }
    // error: '<' is unavailable: the operands have different types
    _ = Operand.filter { "x" < $0.score }
    // error: '>' is unavailable: the operands have different types
    _ = Operand.filter { $0.born > "2020-01-01" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.born == 5 }
    // error: 'like(_:escape:)' is unavailable: the pattern isn't a string
    _ = Operand.filter { $0.name.like(5) }
    // error: referencing instance method 'like(_:escape:)' on 'TypedColumn' requires that 'Int' conform to 'SQLStringValue'
    _ = Operand.filter { $0.score.like("x%") }
    // error: '??' is unavailable: the column isn't optional, or the operands have different types
    _ = Operand.filter { ($0.name ?? 5) == "x" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { ($0.team ?? "x") == 5 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { max($0.score) == "x" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { length($0.name) == "x" }
    // error: '+' is unavailable: the operands have different types, or aren't numbers
    _ = Operand.filter { $0.score + "a" > 5 }
    // error: '+' is unavailable: the operands have different types, or aren't numbers
    _ = Operand.filter { $0.score + $0.name > 5 }
    // error: '+' is unavailable: the operands have different types, or aren't numbers
    _ = Operand.filter { $0.name + 1 > 5 }
    // error: '-' is unavailable: the values of the column aren't numbers
    _ = Operand.filter { -$0.name > 5 }
    // error: cannot convert value of type 'TypedColumn<String>' to closure result type 'any SQLCondition'
    _ = Operand.filter { $0.name }
    // error: cannot convert value of type 'TypedColumn<Int>' to closure result type 'any SQLCondition'
    _ = Operand.filter { $0.score }
    // error: '!' is unavailable: the values of the column aren't Booleans
    _ = Operand.filter { !$0.name }
    // error: no exact matches in reference to operator function '&&'
    _ = Operand.filter { $0.name && $0.active }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.active == 1 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.active == "true" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.kind == "a" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.kind == 3 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.uuid == "x" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.uuid == UUID().uuidString }
    // error: 'contains' is unavailable: the column has values of a different type
    _ = Operand.filter { [UUID().uuidString].contains($0.uuid) }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.tags == "x" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.id == $0.score }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.dbl == $0.score }
    // error: '&' is unavailable: the operands have different types, or aren't integers
    _ = Operand.filter { $0.score & "x" == 1 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.name.collating(.nocase) == 5 }
    // error: cannot convert value of type 'String' to expected argument type 'Int64'
    _ = Operand.filter(id: "x")
    // error: cannot convert value of type 'String' to expected element type 'Int64'
    _ = Operand.filter(ids: ["x"])
    // error: no exact matches in call to static method 'order'
    _ = Operand.order(\.nope)
    // error: 'set(to:)' is unavailable: the value has a different type
    _ = try Operand.updateAll(db) { $0.score.set(to: "x") }
    // error: 'set(to:)' is unavailable: the column isn't optional
    _ = try Operand.updateAll(db) { $0.score.set(to: nil) }
    // error: '+=' is unavailable: the operands have different types, or aren't numbers
    _ = try Operand.updateAll(db) { $0.score += "x" }
    // error: '+=' is unavailable: the operands have different types, or aren't numbers
    _ = try Operand.updateAll(db) { $0.score += 1.5 }
    // error: '+=' is unavailable: the operands have different types, or aren't numbers
    _ = try Operand.updateAll(db) { $0.name += "x" }
    // error: 'set(to:)' is unavailable: the value has a different type
    _ = try Operand.updateAll(db) { $0.score.set(to: $0.name) }
    // error: 'set(to:)' is unavailable: the value has a different type
    _ = try Operand.updateAll(db) { $0.score.set(to: $0.team) }
    // error: '>' is unavailable: a comparison with NULL is never true: use '== nil'
    _ = Operand.filter { $0.name > nil }
    // error: '===' is unavailable: the operands have different types
    _ = Operand.filter { $0.score === "x" }
    // error: '!=' is unavailable: the operands have different types
    _ = Operand.filter { $0.score != "x" }
    // error: 'contains' is unavailable: the column has values of a different type
    _ = Operand.filter { (1...).contains($0.name) }
    // error: 'abs' is unavailable: the values of the column aren't numbers
    _ = Operand.filter { abs($0.name) == 5 }
    // error: 'sum(_:filter:)' is unavailable: the values of the column aren't numbers
    _ = Operand.filter { sum($0.name) > 5 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.name.lowercased == 5 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.name.uppercased == $0.score }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.joining(required: Operand.others).filter { $0.score == "x" }
    // error: 'sum' is unavailable: the values of the column aren't numbers
    _ = Operand.having(Operand.others.sum(\.name) == 5)
    // error: '*' is unavailable: the column stores a representation of its numbers: use 'untyped', or compute in Swift
    _ = Operand.filter { $0.price * 2 > 5 }
    // error: '/' is unavailable: the column stores a representation of its numbers: use 'untyped', or compute in Swift
    _ = Operand.filter { $0.price / 2 > 5 }
    // error: '*=' is unavailable: the operands have different types, or aren't numbers
    _ = try Operand.updateAll(db) { $0.price *= 2 }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.price == "x" }
    // error: 'average' is unavailable: the column stores a representation of its numbers: use 'untyped', or compute in Swift
    _ = Operand.select { average($0.price) }
    // error: '/' is unavailable: the operands have different types, or aren't numbers
    _ = Operand.filter { $0.dec / 2 > 1 }
    // error: '/=' is unavailable: the operands have different types, or aren't numbers
    _ = try Operand.updateAll(db) { $0.dec /= 2 }
    // error: 'average(_:filter:)' is unavailable: decimals have no exact average in SQL: divide their sum by their count in Swift
    _ = Operand.select { average($0.dec) }
    // error: 'total(_:filter:)' is unavailable: the total is a REAL number: use 'sum', which is exact
    _ = Operand.select { total($0.dec) }
    // error: '>' is unavailable: the operands have different types
    _ = Operand.filter { $0.dec > "5" }
    // error: '==' is unavailable: the operands have different types
    _ = Operand.filter { $0.dec == $0.dbl }
    // error: '+' is unavailable: the operands have different types, or aren't numbers
    _ = Operand.filter { $0.dec + $0.score > 1 }
    // error: '>' is unavailable: the stored values of the column have no order
    _ = Operand.filter { $0.tags > ["a"] }
    // error: '*' is unavailable: the column stores a representation of its numbers: use 'untyped', or compute in Swift
    _ = Operand.filter { $0.rate * 2 > 1.5 }
    // error: 'abs' is unavailable: the values of the column aren't numbers
    _ = Operand.filter { abs($0.dec) > 1 }
}

/// Conditions of several comparisons, of which one is wrong. With more than three, the compiler takes longer than the limit.
func wrongConditions() {
    // error: '>' is unavailable: the operands have different types
    _ = Operand.filter { $0.id > 1 && $0.name == "a" && $0.score > "ten" }
    // error: type 'Operand.Columns' has no member 'scor'
    _ = Operand.filter { $0.id > 1 && $0.name == "a" && $0.scor > 10 }
}

/// Expressions, columns without a type, and stored values have no type. The compiler can't tell that they are wrong.
func untypedOperands(_ db: Database) throws {
    _ = Operand.filter { $0.score == Column("name") }
    _ = Operand.filter { $0.id == "1".databaseValue }
    _ = Operand.filter { $0.name == Optional("x").databaseValue }
    _ = Operand.filter { Operand.select(\.name).contains($0.score) }
    _ = Operand.filter { Operand.select({ $0.name }, as: String.self).contains($0.score) }
    _ = Operand.filter { coalesce([$0.name, $0.score]) == "x" }
    _ = Operand.select({ $0.name }, as: Int.self)
    _ = try Operand.updateAll(db) { $0.score.set(to: Column("name")) }
    _ = try Operand.updateAll(db) { $0.score.set(to: "x".databaseValue) }
    _ = try Operand.updateAll(db) { $0.gen.set(to: 5) }
    _ = Operand.filter { SQL("\($0.score) = \("x")") }
    _ = Operand.filter { $0.team > nil }
    _ = Operand.filter { [nil, "x"].contains($0.team) }
    _ = Operand.filter { cast($0.score, as: .text) == 5 }
    _ = Operand.having(Operand.others.count == "x")
    _ = Operand.having(Operand.others.max(\.score) == "x")
    _ = Operand.having(Operand.others.count > 1.5)
    _ = Operand.filter { $0.price > 2.5 && $0.rate == nil && $0.dec * 2 > 5 && $0.tags == ["a"] }
}
