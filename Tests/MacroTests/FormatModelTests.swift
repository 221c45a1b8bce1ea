#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

// Conditions, orders, assignments and aggregates of typed columns, with random values, for each type with each strategy or
// representation. The model is an array of Swift values, whose conditions Swift evaluates.

/// The strategies of a record type.
private protocol Strategies: Sendable {
    static var dateEncoding: DatabaseDateEncodingStrategy { get }
    static var dateDecoding: DatabaseDateDecodingStrategy { get }
    static var uuidEncoding: DatabaseUUIDEncodingStrategy { get }
    static var dataEncoding: DatabaseDataEncodingStrategy { get }
}

extension Strategies {
    static var dateEncoding: DatabaseDateEncodingStrategy { .deferredToDate }
    static var dateDecoding: DatabaseDateDecodingStrategy { .deferredToDate }
    static var uuidEncoding: DatabaseUUIDEncodingStrategy { .deferredToUUID }
    static var dataEncoding: DatabaseDataEncodingStrategy { .deferredToData }
}

private enum Usual: Strategies {}

private enum Seconds: Strategies {
    static let dateEncoding = DatabaseDateEncodingStrategy.secondsSince1970
    static let dateDecoding = DatabaseDateDecodingStrategy.timeIntervalSince1970
    static let uuidEncoding = DatabaseUUIDEncodingStrategy.uppercaseString
    static let dataEncoding = DatabaseDataEncodingStrategy.text
}

private enum Milliseconds: Strategies {
    static let dateEncoding = DatabaseDateEncodingStrategy.millisecondsSince1970
    static let dateDecoding = DatabaseDateDecodingStrategy.millisecondsSince1970
    static let uuidEncoding = DatabaseUUIDEncodingStrategy.lowercaseString
}

private enum RealSince1970: Strategies {
    static let dateEncoding = DatabaseDateEncodingStrategy.timeIntervalSince1970
    static let dateDecoding = DatabaseDateDecodingStrategy.timeIntervalSince1970
}

private enum RealSinceReference: Strategies {
    static let dateEncoding = DatabaseDateEncodingStrategy.timeIntervalSinceReferenceDate
    static let dateDecoding = DatabaseDateDecodingStrategy.timeIntervalSinceReferenceDate
}

private enum ISO8601: Strategies {
    static let dateEncoding = DatabaseDateEncodingStrategy.iso8601
    static let dateDecoding = DatabaseDateDecodingStrategy.iso8601
}

private enum CustomDays: Strategies {
    static let dateEncoding = DatabaseDateEncodingStrategy.custom {
        Int(($0.timeIntervalSince1970 / 86400).rounded(.down))
    }
    static let dateDecoding = DatabaseDateDecodingStrategy.custom {
        Int.fromDatabaseValue($0).map { Date(timeIntervalSince1970: Double($0) * 86400) }
    }
}

@Record("cell")
private struct Cell<Value: DatabaseValueConvertible & StatementColumnConvertible & Codable & Sendable, S: Strategies> {
    @Key var id: Int64
    var value: Value
    var maybe: Value?

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { S.dateEncoding }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { S.dateDecoding }
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { S.uuidEncoding }
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { S.dataEncoding }
}

@Record("cell")
private struct UnixCell {
    @Key var id: Int64
    @Column(as: .unixTime) var value: Date
    @Column(as: .unixTime) var maybe: Date?
}

@Record("cell")
private struct ISOCell {
    @Key var id: Int64
    @Column(as: .iso8601) var value: Date
    @Column(as: .iso8601) var maybe: Date?
}

private enum Suit: String, Codable { case clubs, hearts, spades }

private enum Coded: String, Codable {
    case low, high

    init(from decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Int.self) == 0 ? .low : .high
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self == .low ? 0 : 1)
    }
}

private struct Point: Codable, Hashable {
    var x: Int
    var y: Int?
}

@Record("cell")
private struct SuitCell {
    @Key var id: Int64
    var value: Suit
    var maybe: Suit?
}

@Record("cell")
private struct CodedCell {
    @Key var id: Int64
    var value: Coded
    var maybe: Coded?
}

@Record("cell")
private struct PointCell {
    @Key var id: Int64
    var value: Point
    var maybe: Point?
}

@Record("cell")
private struct RawCell {
    @Key var id: Int64
    @Column(as: .rawValue) var value: Suit
    @Column(as: .rawValue) var maybe: Suit?
}

@Record("cell")
private struct JSONCell {
    @Key var id: Int64
    @Column(as: .json) var value: String
    @Column(as: .json) var maybe: String?
}

/// A record type, its columns, and its values.
private struct Subject<Value: Equatable & Sendable>: Sendable {
    let column: TypedColumn<Value>
    let maybe: TypedColumn<Value?>
    let insert: @Sendable (Database, Int64, Value, Value?) throws -> Void
    let fetch: @Sendable (Database) throws -> [(value: Value, maybe: Value?)]
    let random: @Sendable (inout SeededGenerator) -> Value

    /// What a column keeps of a value.
    var kept: @Sendable (Value) -> Value = { $0 }
}

/// The rows of a table as the model knows them, and the expectations of one run.
private struct Model<Value: Equatable & Sendable> {
    let db: Database
    let subject: Subject<Value>
    let seed: UInt64
    var generator: SeededGenerator
    var rows: [(value: Value, maybe: Value?)] = []

    init(_ db: Database, _ subject: Subject<Value>, _ seed: UInt64) throws {
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

extension Model where Value: Comparable & DatabaseValueConvertible {
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

// MARK: - Subjects

private func cell<
    Value: Equatable & DatabaseValueConvertible & StatementColumnConvertible & Codable & Sendable, S: Strategies
>(
    _ type: Value.Type, _ strategies: S.Type, kept: @escaping @Sendable (Value) -> Value = { $0 },
    random: @escaping @Sendable (inout SeededGenerator) -> Value
) -> Subject<Value> {
    typealias Record = Cell<Value, S>
    return Subject(
        column: Record.Columns.value, maybe: Record.Columns.maybe,
        insert: { try Record(id: $1, value: $2, maybe: $3).insert($0) },
        fetch: { try Record.order(Column("id")).fetchAll($0).map { ($0.value, $0.maybe) } }, random: random, kept: kept)
}

/// Dates with fractions of a second, of which the column keeps a multiple of a unit.
private func dates<S: Strategies>(_ strategies: S.Type, unit: Double) -> Subject<Date> {
    cell(Date.self, strategies, kept: { floored($0, unit) }, random: randomDate)
}

private func floored(_ date: Date, _ unit: Double) -> Date {
    let units = date.timeIntervalSince1970 / unit
    // A date is a little less or more than the number of milliseconds that it stands for.
    let whole = abs(units - units.rounded()) * unit < 1e-6 ? units.rounded() : units.rounded(.down)
    return Date(timeIntervalSince1970: whole * unit)
}

/// Dates from 1966 to 2033, with multiples of 1/8 second: seconds since 1970 and since 2001 are exact.
@Sendable private func randomDate(_ generator: inout SeededGenerator) -> Date {
    Date(timeIntervalSince1970: Double(Int64.random(in: -1_000_000_000...16_000_000_000, using: &generator)) / 8)
}

@Sendable private func randomText(_ generator: inout SeededGenerator) -> String {
    String((0..<Int.random(in: 0...3, using: &generator)).map { _ in "ab\"1 ".randomElement(using: &generator)! })
}

@Sendable private func randomUUID(_ generator: inout SeededGenerator) -> UUID {
    let (a, b) = (generator.next(), generator.next())
    return withUnsafeBytes(of: (a, b)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
}

@Sendable private func randomDecimal(_ generator: inout SeededGenerator) -> Decimal {
    Decimal(
        sign: .plus, exponent: Int.random(in: -6...3, using: &generator),
        significand: Decimal(Int.random(in: -50_000...50_000, using: &generator)))
}

private let unixTimes = Subject(
    column: UnixCell.Columns.value, maybe: UnixCell.Columns.maybe,
    insert: { try UnixCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try UnixCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } }, random: randomDate,
    kept: { floored($0, 1) })

private let isoTimes = Subject(
    column: ISOCell.Columns.value, maybe: ISOCell.Columns.maybe,
    insert: { try ISOCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try ISOCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } }, random: randomDate,
    kept: { floored($0, 1) })

private let suits = Subject(
    column: SuitCell.Columns.value, maybe: SuitCell.Columns.maybe,
    insert: { try SuitCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try SuitCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { [.clubs, .hearts, .spades].randomElement(using: &$0)! })

private let rawSuits = Subject(
    column: RawCell.Columns.value, maybe: RawCell.Columns.maybe,
    insert: { try RawCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try RawCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { [.clubs, .hearts, .spades].randomElement(using: &$0)! })

private let codes = Subject(
    column: CodedCell.Columns.value, maybe: CodedCell.Columns.maybe,
    insert: { try CodedCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try CodedCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { Bool.random(using: &$0) ? .low : .high })

private let points = Subject(
    column: PointCell.Columns.value, maybe: PointCell.Columns.maybe,
    insert: { try PointCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try PointCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { Point(x: Int.random(in: 0...2, using: &$0), y: Bool.random(using: &$0) ? 1 : nil) })

private let texts = Subject(
    column: JSONCell.Columns.value, maybe: JSONCell.Columns.maybe,
    insert: { try JSONCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try JSONCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } }, random: randomText)

// MARK: - Tests

@Suite("Typed columns agree with a model")
struct FormatModelTests {
    private func check<Value>(_ subject: Subject<Value>) throws {
        try DatabaseQueue().write { db in
            for seed in seeds(8) {
                var model = try Model(db, subject, seed)
                for _ in 0..<3 {
                    try model.checkEquality()
                    try model.checkAssignments()
                }
            }
        }
    }

    private func checkOrdered<Value: Comparable & DatabaseValueConvertible>(_ subject: Subject<Value>) throws {
        try check(subject)
        try DatabaseQueue().write { db in
            for seed in seeds(8) {
                var model = try Model(db, subject, seed)
                for _ in 0..<3 { try model.checkOrder() }
            }
        }
    }

    @Test("dates, with each strategy and representation")
    func dateFormats() throws {
        try checkOrdered(dates(Usual.self, unit: 0.001))
        try checkOrdered(dates(Seconds.self, unit: 1))
        try checkOrdered(dates(Milliseconds.self, unit: 0.001))
        try checkOrdered(dates(RealSince1970.self, unit: 0.125))
        try checkOrdered(dates(RealSinceReference.self, unit: 0.125))
        try checkOrdered(dates(ISO8601.self, unit: 1))
        try checkOrdered(dates(CustomDays.self, unit: 86400))
        try checkOrdered(unixTimes)
        try checkOrdered(isoTimes)
    }

    @Test("UUIDs and data, with each strategy")
    func strategies() throws {
        try checkOrdered(cell(UUID.self, Usual.self, random: randomUUID))
        try checkOrdered(cell(UUID.self, Seconds.self, random: randomUUID))
        try checkOrdered(cell(UUID.self, Milliseconds.self, random: randomUUID))
        try check(cell(Data.self, Usual.self) { Data(randomText(&$0).utf8) })
        try check(cell(Data.self, Seconds.self) { Data(randomText(&$0).utf8) })
    }

    @Test("numbers and strings")
    func numbers() throws {
        try checkOrdered(cell(Int.self, Usual.self) { Int.random(in: -9...9, using: &$0) })
        try checkOrdered(cell(UInt8.self, Usual.self) { UInt8.random(in: 0...255, using: &$0) })
        try checkOrdered(cell(Double.self, Usual.self) { Double.random(in: -2...2, using: &$0) })
        try checkOrdered(cell(String.self, Usual.self, random: randomText))
        try check(cell(Bool.self, Usual.self) { Bool.random(using: &$0) })
    }

    @Test("decimals", .enabled(if: SQLiteBuild.hasDecimals))
    func decimals() throws { try checkOrdered(cell(Decimal.self, Usual.self, random: randomDecimal)) }

    @Test("enumerations, JSON, and types with their own coding")
    func codables() throws {
        try check(suits)
        try check(rawSuits)
        try check(codes)
        try check(points)
        try check(texts)
    }
}
#endif
