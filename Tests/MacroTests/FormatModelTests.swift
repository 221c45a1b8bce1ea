#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

// Conditions, orders, assignments and aggregates of typed columns, with random values, for each type with each strategy or
// representation: see FormatModel.

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

/// Hundredths as an INTEGER: a sum of numbers is stored as the sum of their stored forms.
private struct Cents: DatabaseRepresentation {
    func databaseValue(of price: Double) -> DatabaseValue { Int64((price * 100).rounded()).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Double? {
        Int64.fromDatabaseValue(databaseValue).map { Double($0) / 100 }
    }
}

/// Numbers with an offset: they are stored in order, and their sums aren't stored as sums.
private struct Kelvins: DatabaseRepresentation {
    func databaseValue(of degrees: Int) -> DatabaseValue { (degrees + 273).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Int? { Int.fromDatabaseValue(databaseValue).map { $0 - 273 } }
}

@Record("cell")
private struct CentsCell {
    @Key var id: Int64
    @Column(as: Cents()) var value: Double
    @Column(as: Cents()) var maybe: Double?
}

@Record("cell")
private struct KelvinsCell {
    @Key var id: Int64
    @Column(as: Kelvins()) var value: Int
    @Column(as: Kelvins()) var maybe: Int?
}

@Record("cell")
private struct JSONNumberCell {
    @Key var id: Int64
    @Column(as: .json) var value: Int
    @Column(as: .json) var maybe: Int?
}

// MARK: - Subjects

private func cell<
    Value: Equatable & DatabaseValueConvertible & StatementColumnConvertible & Codable & Sendable, S: Strategies
>(
    _ type: Value.Type, _ strategies: S.Type, kept: @escaping @Sendable (Value) -> Value = { $0 },
    random: @escaping @Sendable (inout SeededGenerator) -> Value
) -> FormatSubject<Value> {
    typealias Record = Cell<Value, S>
    return FormatSubject(
        column: Record.Columns.value, maybe: Record.Columns.maybe,
        insert: { try Record(id: $1, value: $2, maybe: $3).insert($0) },
        fetch: { try Record.order(Column("id")).fetchAll($0).map { ($0.value, $0.maybe) } }, random: random, kept: kept)
}

/// Dates with fractions of a second, of which the column keeps a multiple of a unit.
private func dates<S: Strategies>(_ strategies: S.Type, unit: Double) -> FormatSubject<Date> {
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

private let unixTimes = FormatSubject(
    column: UnixCell.Columns.value, maybe: UnixCell.Columns.maybe,
    insert: { try UnixCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try UnixCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } }, random: randomDate,
    kept: { floored($0, 1) })

private let isoTimes = FormatSubject(
    column: ISOCell.Columns.value, maybe: ISOCell.Columns.maybe,
    insert: { try ISOCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try ISOCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } }, random: randomDate,
    kept: { floored($0, 1) })

private let suits = FormatSubject(
    column: SuitCell.Columns.value, maybe: SuitCell.Columns.maybe,
    insert: { try SuitCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try SuitCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { [.clubs, .hearts, .spades].randomElement(using: &$0)! })

private let rawSuits = FormatSubject(
    column: RawCell.Columns.value, maybe: RawCell.Columns.maybe,
    insert: { try RawCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try RawCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { [.clubs, .hearts, .spades].randomElement(using: &$0)! })

private let codes = FormatSubject(
    column: CodedCell.Columns.value, maybe: CodedCell.Columns.maybe,
    insert: { try CodedCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try CodedCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { Bool.random(using: &$0) ? .low : .high })

private let points = FormatSubject(
    column: PointCell.Columns.value, maybe: PointCell.Columns.maybe,
    insert: { try PointCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try PointCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { Point(x: Int.random(in: 0...2, using: &$0), y: Bool.random(using: &$0) ? 1 : nil) })

private let texts = FormatSubject(
    column: JSONCell.Columns.value, maybe: JSONCell.Columns.maybe,
    insert: { try JSONCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try JSONCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } }, random: randomText)

private let cents = FormatSubject(
    column: TypedColumn("value", as: Cents()), maybe: TypedColumn("maybe", as: Cents()),
    insert: { try CentsCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try CentsCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { Double(Int.random(in: -9999...9999, using: &$0)) / 1000 }, kept: { ($0 * 100).rounded() / 100 })

private let kelvins = FormatSubject(
    column: TypedColumn("value", as: Kelvins()), maybe: TypedColumn("maybe", as: Kelvins()),
    insert: { try KelvinsCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try KelvinsCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { Int.random(in: -20...20, using: &$0) })

private let jsonNumbers = FormatSubject(
    column: TypedColumn("value", as: JSONRepresentation<Int>()),
    maybe: TypedColumn("maybe", as: JSONRepresentation<Int>()),
    insert: { try JSONNumberCell(id: $1, value: $2, maybe: $3).insert($0) },
    fetch: { try JSONNumberCell.order(\.id).fetchAll($0).map { ($0.value, $0.maybe) } },
    random: { Int.random(in: -20...20, using: &$0) })

// MARK: - Tests

@Suite("Typed columns agree with a model")
struct FormatModelTests {
    private func withModels<Value>(_ subject: FormatSubject<Value>, _ body: (inout FormatModel<Value>) throws -> Void)
        throws
    {
        try DatabaseQueue().write { db in
            for seed in seeds(8) {
                var model = try FormatModel(db, subject, seed)
                for _ in 0..<3 { try body(&model) }
            }
        }
    }

    private func check<Value>(_ subject: FormatSubject<Value>) throws {
        try withModels(subject) { model in
            try model.checkEquality()
            try model.checkAssignments()
        }
    }

    private func checkOrdered<Value: Comparable & DatabaseValueConvertible>(_ subject: FormatSubject<Value>) throws {
        try check(subject)
        try withModels(subject) { try $0.checkOrder() }
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

    @Test("numbers with a representation")
    func representedNumbers() throws {
        try checkOrdered(cents)
        try withModels(cents) { model in
            let columns = (value: CentsCell.Columns.value, maybe: CentsCell.Columns.maybe)
            try model.checkEquality(columns)
            try model.checkOrder(columns)
            try model.checkSums(columns)
        }
    }

    @Test("numbers whose sums aren't stored as sums")
    func numbersWithAnOffset() throws {
        try checkOrdered(kelvins)
        try withModels(kelvins) { model in
            let columns = (value: KelvinsCell.Columns.value, maybe: KelvinsCell.Columns.maybe)
            try model.checkEquality(columns)
            try model.checkOrder(columns)
            try model.expectNoSums(columns)
            let column = model.subject.column
            for sum in [column + 1 > 0, sum(column) > 0, total(column) > 0] {
                expectFailure(.SQLITE_MISUSE) { _ = try Table("cell").filter(sum).fetchCount(model.db) }
            }
        }
    }

    @Test("numbers and strings as JSON, which SQL sorts differently")
    func valuesWithoutOrder() throws {
        try check(jsonNumbers)
        try withModels(jsonNumbers) { model in
            let columns = (value: JSONNumberCell.Columns.value, maybe: JSONNumberCell.Columns.maybe)
            try model.checkEquality(columns)
            try model.expectNoSums(columns)
            let (value, column) = (columns.value, model.subject.column)
            for condition in [value > 5, 5 < value, (1...9).contains(value), max(value) > 1, column > 5, 5 <= column] {
                expectFailure(.SQLITE_MISUSE) { _ = try Table("cell").filter(condition).fetchCount(model.db) }
            }
            for order in [value.asc, column.desc] {
                expectFailure(.SQLITE_MISUSE) { _ = try Row.fetchAll(model.db, Table("cell").order(order)) }
            }
        }
        try withModels(texts) { model in
            let column = JSONCell.Columns.value
            for condition in [column < "b", ("a"..."b").contains(column), column.like("a%"), length(column) > 1] {
                expectFailure(.SQLITE_MISUSE) { _ = try Table("cell").filter(condition).fetchCount(model.db) }
            }
        }
    }

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
