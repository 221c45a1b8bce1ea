#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

// The model of typed columns is an array of Swift values, whose conditions Swift evaluates.

/// A record type, its columns, and its values.
struct FormatSubject<Value: Equatable & Sendable>: Sendable {
    let column: TypedColumn<Value>
    let maybe: TypedColumn<Value?>
    let insert: @Sendable (Database, Int64, Value, Value?) throws -> Void
    let fetch: @Sendable (Database) throws -> [(value: Value, maybe: Value?)]
    let random: @Sendable (inout SeededGenerator) -> Value

    /// What a column keeps of a value.
    var kept: @Sendable (Value) -> Value = { $0 }
}

/// The rows of a table as the model knows them, and the expectations of one run.
struct FormatModel<Value: Equatable & Sendable> {
    let db: Database
    let subject: FormatSubject<Value>
    let seed: UInt64
    var generator: SeededGenerator
    var rows: [(value: Value, maybe: Value?)] = []

    init(_ db: Database, _ subject: FormatSubject<Value>, _ seed: UInt64) throws {
        (self.db, self.subject, self.seed) = (db, subject, seed)
        generator = SeededGenerator(seed: seed)
        try db.execute(sql: "DROP TABLE IF EXISTS cell; CREATE TABLE cell (id INTEGER PRIMARY KEY, value, maybe)")
        for id in 1...12 {
            let (value, maybe) = (operand(), Bool.random(using: &generator) ? operand() : nil)
            try subject.insert(db, Int64(id), value, maybe)
            rows.append((subject.kept(value), maybe.map(subject.kept)))
        }
        try expectRows("inserted")
    }

    /// A random value, or one of the table.
    mutating func operand() -> Value {
        if let row = rows.randomElement(using: &generator), Bool.random(using: &generator) { return row.value }
        return subject.random(&generator)
    }

    func expectRows(_ what: String) throws {
        let fetched = try subject.fetch(db)
        #expect(fetched.map(\.value) == rows.map(\.value), "\(what), seed \(seed)")
        #expect(fetched.map(\.maybe) == rows.map(\.maybe), "\(what), seed \(seed)")
    }

    func expect(_ what: String, _ condition: SQLExpression, _ isTrue: (Value, Value?) -> Bool) throws {
        let found = try Table("cell").filter(condition).order(Column("id")).select(Column("id"), as: Int.self).fetchAll(
            db)
        let expected = rows.indices.filter { isTrue(rows[$0].value, rows[$0].maybe) }.map { $0 + 1 }
        #expect(found == expected, "\(what), seed \(seed), \(Value.self), \(rows)")
    }

    mutating func checkEquality() throws {
        let (x, y) = (operand(), operand())
        let (column, maybe, kept) = (subject.column, subject.maybe, subject.kept)
        try expect("== \(x)", column == x) { value, _ in value == kept(x) }
        try expect("!= \(x)", column != x) { value, _ in value != kept(x) }
        try expect("maybe == \(x)", maybe == x) { _, maybe in maybe == kept(x) }
        try expect("maybe != \(x)", maybe != x) { _, maybe in maybe != nil && maybe != kept(x) }
        try expect("== nil", maybe == nil) { _, maybe in maybe == nil }
        try expect("IN \(x), \(y)", [x, y].contains(column)) { value, _ in value == kept(x) || value == kept(y) }
        try expect("maybe IN \(x), \(y)", [x, y].contains(maybe)) { _, maybe in maybe == kept(x) || maybe == kept(y) }
        try expect("columns", column == maybe) { value, maybe in value == maybe }
    }

    mutating func checkAssignments() throws {
        let (x, y) = (operand(), operand())
        let (column, kept) = (subject.column, subject.kept)
        try Table("cell").filter(column == x).updateAll(db, [column.set(to: y)])
        for index in rows.indices where rows[index].value == kept(x) { rows[index].value = kept(y) }
        try Table("cell").filter(subject.maybe == nil).updateAll(db, [subject.maybe.set(to: column)])
        for index in rows.indices where rows[index].maybe == nil { rows[index].maybe = rows[index].value }
        try Table("cell").filter(column == y).updateAll(db, [subject.maybe.set(to: nil)])
        for index in rows.indices where rows[index].value == kept(y) { rows[index].maybe = nil }
        try expectRows("assigned")
    }
}

extension FormatModel where Value: Comparable & DatabaseValueConvertible {
    mutating func checkOrder() throws {
        let (x, y) = (operand(), operand())
        let (column, maybe) = (subject.column, subject.maybe)
        try expect("< \(x)", column < x) { value, _ in value < x }
        try expect("<= \(x)", column <= x) { value, _ in value <= x }
        try expect("> \(x)", column > x) { value, _ in value > x }
        try expect(">= \(x)", column >= x) { value, _ in value >= x }
        try expect("\(x) <", x < column) { value, _ in x < value }
        try expect("\(x) >=", x >= column) { value, _ in x >= value }
        try expect("maybe < \(x)", maybe < x) { _, maybe in maybe.map { $0 < x } ?? false }
        try expect("columns", column < maybe) { value, maybe in maybe.map { value < $0 } ?? false }
        let range = min(x, y)...max(x, y)
        try expect("\(range)", range.contains(column)) { value, _ in range.contains(value) }
        try expect("\(x)...", (x...).contains(column)) { value, _ in value >= x }
        try expect("..<\(x)", (..<x).contains(maybe)) { _, maybe in maybe.map { $0 < x } ?? false }
        let sorted = try Table("cell").order(column, Column("id")).select(Column("id"), as: Int.self).fetchAll(db)
        #expect(
            sorted == rows.indices.sorted { (rows[$0].value, $0) < (rows[$1].value, $1) }.map { $0 + 1 }, "seed \(seed)"
        )
        for (what, aggregate, expected) in [
            ("min", Amalgam.min(column), rows.map(\.value).min()),
            ("max", Amalgam.max(column), rows.map(\.value).max()),
            ("max", Amalgam.max(maybe), rows.compactMap(\.maybe).max()),
        ] {
            let row = try Row.fetchOne(db, Table("cell").select(aggregate.forKey("maybe")))
            #expect(try row?.decode(forColumn: maybe) == expected, "\(what), seed \(seed)")
        }
    }
}

// MARK: - Numbers with a representation

typealias Numbers<Value: Sendable> = (
    value: TypedColumn<Represented<Value>>, maybe: TypedColumn<Represented<Value>?>
)

extension FormatModel where Value: Comparable & SignedNumeric & DatabaseValueConvertible {
    mutating func checkEquality(_ columns: Numbers<Value>) throws {
        let (x, y, column, maybe, kept) = (operand(), operand(), columns.value, columns.maybe, subject.kept)
        let z = Bool.random(using: &generator) ? operand() : nil
        try expect("== \(x)", column == x) { value, _ in value == kept(x) }
        try expect("\(x) !=", x != maybe) { _, maybe in maybe != nil && maybe != kept(x) }
        try expect("== \(z as Any)", maybe == z) { _, maybe in maybe == z.map(kept) }
        try expect("column == \(z as Any)", column == z) { value, _ in value == z.map(kept) }
        try expect("\(z as Any) ===", z === maybe) { _, maybe in maybe == z.map(kept) }
        try expect("!== \(z as Any)", maybe !== z) { _, maybe in maybe != z.map(kept) }
        try expect("IN \(x), \(y)", [x, y].contains(column)) { value, _ in value == kept(x) || value == kept(y) }
        try expect("IN \(x), nil", [x, nil].contains(maybe)) { _, maybe in maybe == kept(x) }
        try expect("??", (maybe ?? x) == y) { _, maybe in (maybe ?? kept(x)) == kept(y) }
        try Table("cell").filter(column == x).updateAll(db, [column.set(to: y), maybe.set(to: z)])
        for index in rows.indices where rows[index].value == kept(x) { rows[index] = (kept(y), z.map(kept)) }
        try expectRows("assigned")
    }

    mutating func checkOrder(_ columns: Numbers<Value>) throws {
        let (x, y, column, maybe) = (operand(), operand(), columns.value, columns.maybe)
        let z = Bool.random(using: &generator) ? operand() : nil
        try expect("< \(x)", column < x) { value, _ in value < x }
        try expect("\(x) <", x < column) { value, _ in x < value }
        try expect("\(x) <=", x <= maybe) { _, maybe in maybe.map { x <= $0 } ?? false }
        try expect("\(x) >=", x >= column) { value, _ in x >= value }
        try expect(">= \(z as Any)", maybe >= z) { _, maybe in maybe.flatMap { m in z.map { m >= $0 } } ?? false }
        try expect("columns", column < maybe) { value, maybe in maybe.map { value < $0 } ?? false }
        let (low, high) = (min(x, y), max(x, y))
        try expect("\(low)...\(high)", (low...high).contains(column)) { value, _ in (low...high).contains(value) }
        try expect("\(low)..<\(high)", (low..<high).contains(column)) { value, _ in (low..<high).contains(value) }
        try expect("\(x)...", (x...).contains(column)) { value, _ in value >= x }
        try expect("...\(x)", (...x).contains(maybe)) { _, maybe in maybe.map { $0 <= x } ?? false }
        try expect("..<\(x)", (..<x).contains(column)) { value, _ in value < x }
    }

    mutating func checkSums(_ columns: Numbers<Value>) throws {
        let (x, y, column, maybe, kept) = (operand(), operand(), columns.value, columns.maybe, subject.kept)
        let z: Value? = Bool.random(using: &generator) ? operand() : nil
        try expect("+ \(x)", column + kept(x) < y) { value, _ in kept(value + kept(x)) < y }
        try expect("\(x) -", kept(x) - column == y) { value, _ in kept(kept(x) - value) == kept(y) }
        try expect("-", -column >= y) { value, _ in kept(-value) >= y }
        try expect("abs", Amalgam.abs(column) > y) { value, _ in kept(value < 0 ? -value : value) > y }
        try expect("columns", column - maybe > y) { value, maybe in maybe.map { kept(value - $0) > y } ?? false }
        let row = try Row.fetchOne(db, Table("cell").select(sum(column).forKey("maybe")))
        #expect(try row?.decode(forColumn: maybe) == kept(rows.reduce(0) { $0 + $1.value }), "seed \(seed)")
        try Table("cell").updateAll(db, [column += x, maybe += z])
        for index in rows.indices {
            let sum = rows[index].maybe.flatMap { maybe in z.map { kept(maybe + kept($0)) } }
            rows[index] = (kept(rows[index].value + kept(x)), sum)
        }
        try Table("cell").filter(maybe != nil).updateAll(db, [column -= maybe])
        for index in rows.indices { rows[index].value = kept(rows[index].value - (rows[index].maybe ?? 0)) }
        try expectRows("added")
    }

    func expectNoSums(_ columns: Numbers<Value>) throws {
        for sum in [
            columns.value + 1 > 0, columns.maybe - columns.value > 0, -columns.value > 0, sum(columns.value) > 0,
        ] {
            expectFailure(.SQLITE_MISUSE) { _ = try Table("cell").filter(sum).fetchCount(db) }
        }
        expectFailure(.SQLITE_MISUSE) { _ = try Table("cell").updateAll(db, [columns.value += 1]) }
    }
}
#endif
