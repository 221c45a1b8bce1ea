import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// The values of `[1, "Anna", nil]` are bound from the array of the literal, or stored. Each type must be bound as its
/// `databaseValue`.
struct LiteralValuesTests {
    enum Colour: String, DatabaseValueConvertible { case red }
    enum Level: Int, DatabaseValueConvertible, StatementColumnConvertible { case high = 2 }

    /// Larger than the three words that an existential container holds.
    struct Large: DatabaseValueConvertible {
        var numbers = (1, 2, 3, 4, 5)
        var databaseValue: DatabaseValue { (numbers.0 + numbers.4).databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Large? { nil }
    }

    private func expect(
        _ arguments: StatementArguments, _ values: [DatabaseValue], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(arguments.values == values, sourceLocation: sourceLocation)
        try DatabaseKind.memory.run { db in
            let sql = "SELECT \(databaseQuestionMarks(count: values.count))"
            let row = try Row.fetchOne(db, sql: sql, arguments: arguments)
            #expect(row.map { Array($0.databaseValues) } == values, sourceLocation: sourceLocation)
        }
    }

    private func integers(_ values: Int64...) -> [DatabaseValue] { values.map { DatabaseValue(storage: .int64($0)) } }

    private func reals(_ values: Double...) -> [DatabaseValue] { values.map { DatabaseValue(storage: .double($0)) } }

    private func texts(_ values: String...) -> [DatabaseValue] { values.map { DatabaseValue(storage: .string($0)) } }

    @Test func theIntegers() throws {
        try expect([0, 1, -1, Int.min, Int.max], integers(0, 1, -1, .min, .max))
        try expect([Int8.min, Int16.min, Int32.min, Int64.min], integers(-128, -32768, -2_147_483_648, .min))
        try expect([Int8.max, Int16.max, Int32.max, Int64.max], integers(127, 32767, 2_147_483_647, .max))
        try expect([UInt8.max, UInt16.max, UInt32.max], integers(255, 65535, 4_294_967_295))
        try expect([UInt(7), UInt64(Int64.max)], integers(7, .max))
        try expect([true, false], integers(1, 0))
        try expect([NSNumber(value: 5), NSNumber(value: true)], integers(5, 1))
    }

    @Test func integersThatSQLiteCannotStore() throws {
        try DatabaseKind.memory.run { db in
            for arguments: StatementArguments in [[UInt64.max], [UInt.max]] {
                do {
                    _ = try Row.fetchOne(db, sql: "SELECT ?", arguments: arguments)
                    Issue.record("the integer was bound")
                } catch let error as DatabaseError {
                    #expect(error.resultCode == .SQLITE_MISMATCH)
                    #expect(error.message == "a value cannot be stored: 18446744073709551615")
                    #expect(error.sql == "SELECT ?")
                }
                #expect(arguments.description == "[18446744073709551615]")
            }
            #expect(try Int.fetchOne(db, sql: "SELECT ?", arguments: [1]) == 1)
        }
    }

    @Test func theReals() throws {
        try expect([0.0, 1.5, -1e300, Double.infinity], reals(0, 1.5, -1e300, .infinity))
        try expect([Float(0.25), CGFloat(0.5), NSNumber(value: 2.5)], reals(0.25, 0.5, 2.5))
    }

    @Test func texts() throws {
        try expect(["", "a", "Anna", "été 🎈"], texts("", "a", "Anna", "été 🎈"))
        let long = String(repeating: "long ", count: 100)
        try expect([long, long + "er", "a\0b"], texts(long, long + "er", "a\0b"))
        try expect([NSString("Anna")], texts("Anna"))
        #expect(long.count == 500)
    }

    @Test func blobs() throws {
        let large = Data(repeating: 7, count: 1000)
        try expect(
            [Data(), Data([1, 2]), large], [Data(), Data([1, 2]), large].map { DatabaseValue(storage: .blob($0)) })
    }

    @Test func foundationValues() throws {
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
        try expect(
            [Date(timeIntervalSince1970: 0), uuid, URL(string: "https://sqlite.org")],
            texts("1970-01-01 00:00:00.000") + [DatabaseValue(storage: .blob(bytes))] + texts("https://sqlite.org"))
    }

    @Test func enumsAndOwnTypes() throws {
        try expect([Colour.red, Level.high, Name("Anna")], texts("red") + integers(2) + texts("Anna"))
        try expect([Large(), Large()], integers(6, 6))
        try expect([1.databaseValue, DatabaseValue.null], integers(1) + [.null])
    }

    @Test func optionals() throws {
        let int: Int? = nil
        let string: String? = nil
        let name: Name? = nil
        let date: Date? = nil
        try expect([nil, int, string, name, date, Double?.none, Data?.none], Array(repeating: .null, count: 7))
        try expect([Int?.some(1), String?.some("a"), Name?.some("b")], integers(1) + texts("a", "b"))
        let nested: Int?? = .some(nil)
        try expect([nested, Int??.some(.some(3))], [.null] + integers(3))
    }

    @Test func existentials() throws {
        let int: any DatabaseValueConvertible = 1
        let boxedOptional: any DatabaseValueConvertible = Int?.some(2)
        let boxedNil: any DatabaseValueConvertible = Int?.none
        let missing: (any DatabaseValueConvertible)? = nil
        let large: (any DatabaseValueConvertible)? = Large()
        try expect([int, boxedOptional, boxedNil, missing, large], integers(1, 2) + [.null, .null] + integers(6))
    }

    @Test func valuesStayAliveHoweverOftenTheyAreRead() {
        let text = String(repeating: "text ", count: 20)
        let data = Data(text.utf8)
        for _ in 1...1000 {
            let arguments: StatementArguments = [text, data, Name(text), text]
            #expect(
                arguments.values == [text.databaseValue, data.databaseValue, text.databaseValue, text.databaseValue])
        }
        #expect(text.hasPrefix("text ") && data.count == 100)
    }

    /// The arguments of the next run replace those of the last one, which are released once.
    @Test func replacedArgumentsAreLetGo() throws {
        try DatabaseKind.memory.run { db in
            let released = Shared(0)
            func data() -> Data {
                let bytes = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 1)
                bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 100)
                return Data(
                    bytesNoCopy: bytes, count: 100,
                    deallocator: .custom { bytes, _ in
                        released.value += 1
                        bytes.deallocate()
                    })
            }
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?, ?")
            for run in 0..<10 {
                try statement.execute(arguments: [run, data(), "a text that is not small, \(run)", nil])
                #expect(released.value == run)
            }
            try statement.execute(arguments: [1, 2.5, nil, Date()])
            #expect(released.value == 10)
        }
    }

    @Test func replacedArgumentsStayWithThoseWhoHoldThem() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?")
            var held: [StatementArguments] = []
            for run in 0..<10 {
                let arguments: StatementArguments = [run, "a text that is not small, \(run)", Data(count: 100 + run)]
                try statement.execute(arguments: arguments)
                held.append(run % 2 == 0 ? arguments : statement.arguments)
            }
            for (run, arguments) in held.enumerated() {
                #expect(arguments == [run, "a text that is not small, \(run)", Data(count: 100 + run)])
            }
        }
    }

    @Test func literalsAreEqualToOtherArguments() {
        let literal: StatementArguments = [1, "Anna", nil, 1.5]
        let values = StatementArguments([1.databaseValue, "Anna".databaseValue, .null, 1.5.databaseValue])
        #expect(literal == values && literal.hashValue == values.hashValue)
        #expect(literal.description == values.description)
        #expect(literal.count == 4 && !literal.isEmpty)
        #expect(literal + [2] == values + [2])
    }

    @Test func valuesOfObjectsAreThoseOfTheLiteral() throws {
        let text = NSMutableString(string: "before")
        let arguments: StatementArguments = [text]
        text.setString("after")
        try DatabaseKind.memory.run { db in
            let stored = try String.fetchOne(db, sql: "SELECT ?", arguments: arguments)
            #expect(stored == "before")
        }
    }

    @Test func notANumberIsNULL() throws {
        try DatabaseKind.memory.run { db in
            let value = try DatabaseValue.fetchOne(db, sql: "SELECT ?", arguments: [Double.nan])
            #expect(value == .null)
        }
    }

    @Test func literalsOfOneTypeServeManyStatements() throws {
        try DatabaseKind.memory.run { db in
            let arguments: StatementArguments = ["Anna", 1]
            let positional = try db.makeStatement(sql: "SELECT ? || ?")
            let named = try db.makeStatement(sql: "SELECT :name || :number")
            for statement in [positional, named, positional] {
                let text = try String.fetchOne(statement, arguments: arguments)
                #expect(text == "Anna1")
            }
        }
    }

    @Test func emptyLiteral() throws {
        let empty: StatementArguments = []
        #expect(empty.count == 0)
        try DatabaseKind.memory.run { db in try db.execute(sql: "SELECT 1", arguments: []) }
    }

    // MARK: Strings and blobs with zeros

    @Test(arguments: ["\0", "a\0b", "\0a\0", String(repeating: "\0", count: 100)])
    func embeddedNULs(_ text: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a TEXT)")
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
            #expect(try String.fetchOne(db, sql: "SELECT a FROM t") == text)
            #expect(try Name.fetchOne(db, sql: "SELECT a FROM t")?.text == text)
            let rows = try Row.fetchCursor(db, sql: "SELECT a FROM t")
            let row = try #require(try rows.next())
            #expect(row["a"] as String == text)
            #expect(row.copy()["a"] as String == text)
            #expect(try row.withUnsafeData(atIndex: 0) { $0 } == Data(text.utf8))
            #expect(try rows.next() == nil)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE a = ?", arguments: [text]) == 1)
        }
    }
}
