#if Macros
import Amalgam
import Foundation
import ShadowedNames
import TestSupport
import Testing

// Names of the code that the macro writes.
private let row = 1
private let reader = 2
private let list = 3

@Record("note")
struct ReservedNames: Equatable {
    @Key var key: Int64?
    var row: Int = 1
    var reader = 2
    var writer = 3
    var container = 4
    var columns: Int? = 5
    var list = 6
    var kind = "t"
    var inserted = true
    var error = 1.5
    var `class`: String = "c"
    var `default`: Int = 0
    var `in`: String?
    var `self`: String = "s"
    var `init`: String = "i"
    var `Type`: String = "T"
    var `raw name`: Int = 9
    var größe: Int = -3
    var 名前: String = "\(SpellingTests.name)!"
}

@Record("note")
struct NamedDefaults: Equatable {
    @Key var key: Int64?
    var first: Int = row
    var second: Int = reader
    var third: Int? = list
}

@Record("gäme \"x\"")
struct UnicodeNames: Equatable {
    @Key var `id`: Int64?
    @Column("é") var small: Int
    @Column("É") var large: Int
    @Column("a\"b") var quote: Int
}

@Embeddable
struct EmbeddedNames: Equatable {
    var _columns: Int
    var columns: Int
    var reader: Int = list
}

@Record("note")
struct EmbeddingNames: Equatable {
    @Key var id: Int64?
    @Embedded var names: EmbeddedNames
}

typealias Key64 = Int64

@Record("a") struct OptionalA: Equatable { @Key var id: Optional<Int64>; var n = 0 }
@Record("a") struct OptionalB: Equatable { @Key var id: Swift.Optional<Int64>; var n: Swift.Optional<Swift.Int> }
@Record("a") struct OptionalC: Equatable { @Key var id: Swift.Int64?; var n: Int! }
@Record("a") struct OptionalD: Equatable { @Key var id: (Int64)?; var n: (Int?) }
@Record("a") struct OptionalE: Equatable { @Key var id: Int?; var n: (Int) }
@Record("a") struct OptionalF: Equatable { @Key var id: Int64? = nil; var n = 0 }
@Record("a") struct OptionalG: Equatable { @Key var id: Optional<Swift.Int64>; var n = 0 }
@Record("a") struct OptionalH: Equatable { @Key var id: Int64!; var n: String! }
@Record("a") struct OptionalI: Equatable { @Key var id: (((Swift.Optional<(Swift.Int64)>))); var n = 0 }

@Record("a") struct ConstantKey: Equatable { @Key let id: Int64?; var n = 0 }

enum Nest {
    @Record("a") struct OptionalJ: Equatable { @Key var id: Swift.Int64?; var n: Int! }
    @Record("a") struct OptionalK: Equatable { @Key var id: Swift.Optional<(Int64)>; var n: Swift.Optional<String> }
}

@Record("a") struct OnlyConstants: Equatable { @Key let id: Int64 = 1; let n: Int = 2 }
@Selection struct ConstantSelection: Equatable { let n: Int = 2 }
@Record("a") struct OnlyGenerated: Equatable { @Column(generated: true) var n: Int }

@Record("a")
struct Conditions: Equatable {
    @Key var id: Int64?
    #if canImport(Foundation)
    var present: Int = 1
    #else
    var absent: Int
    #endif
    #if os(Linux) || os(macOS)
    #if arch(x86_64) || arch(arm64)
    var nested: Int = 2
    #endif
    #endif
}

@Selection
struct ConditionalSelection: Equatable {
    #if canImport(NoSuchModule)
    var absent: Int
    #endif
}

@Record("a")
struct References: Equatable, SelfReferring {
    typealias Reference = Int
    static let start = 5

    @Key var id: Int64?
    var ref: Self.Reference = 0
    var many: [Self.Reference] = [Self.start, References.start]
    let k: Int
    var a = 1, b: Int, c = "x", d = true, e = -1.5
    var observed: Int = 0 { didSet { changes += 1 } }
    @Ignored var changes = 0
    var sum: Int { a + b }
}

protocol SelfReferring {
    associatedtype Reference
}

@propertyWrapper
struct Trimmed: Equatable {
    var wrappedValue: String { didSet { wrappedValue = wrappedValue.trimmingCharacters(in: .whitespaces) } }

    init(wrappedValue: String) { self.wrappedValue = wrappedValue.trimmingCharacters(in: .whitespaces) }
}

@Record("a")
struct WrappedText: Equatable {
    @Key var id: Int64?
    @Column @Trimmed var c: String = ""
}

@MainActor
@Record("a")
struct MainActorStruct: Equatable {
    @Key var id: Int64?
    var n: Int
}

@Suite("Spellings of properties")
struct SpellingTests {
    static let name = "n"

    private let table = "id INTEGER PRIMARY KEY, n, present, absent, nested, ref, many, k, a, b, c, d, e, observed"

    @Test("names of the code that the macro writes, keywords, and raw identifiers")
    func reservedNames() throws {
        var note = ReservedNames()
        let columns = try note.databaseDictionary.keys.map(\.quotedDatabaseIdentifier)
        note.key = 1
        let table = "key INTEGER PRIMARY KEY, " + columns.filter { $0 != "\"key\"" }.joined(separator: ", ")
        expectEqual(try roundTrip(ReservedNames(), columns: table), note)
        let defaults = try DatabaseQueue().read { db in try ReservedNames.fetchOne(db, sql: "SELECT 1 AS key") }
        expectEqual(defaults, note)
        let named = try DatabaseQueue().read { db in try NamedDefaults.fetchOne(db, sql: "SELECT 1 AS key") }
        expectEqual(named, NamedDefaults(key: 1, first: 1, second: 2, third: 3))
        expectEqual(note.名前, "n!")
        expectEqual(
            try roundTrip(
                EmbeddingNames(names: EmbeddedNames(_columns: 1, columns: 2)),
                columns: "id INTEGER PRIMARY KEY, _columns, columns, reader"),
            EmbeddingNames(id: 1, names: EmbeddedNames(_columns: 1, columns: 2, reader: 3)))
    }

    @Test("an application declares types with the names that the macro writes: Row, TypedColumn, String, Swift, ...")
    func shadowedNames() throws {
        expectEqual(try roundTripsOfShadowedNames(), [])
    }

    @Test("columns are compared as SQLite does: é and É are different")
    func unicodeNames() throws {
        let names = UnicodeNames(small: 1, large: 2, quote: 3)
        expectEqual(
            try roundTrip(names, columns: "id INTEGER PRIMARY KEY, é, É, \"a\"\"b\""),
            UnicodeNames(id: 1, small: 1, large: 2, quote: 3))
        #expect((UnicodeNames.self as Any.Type) is any Identifiable.Type)
    }

    @Test("spellings of an optional key: SQLite assigns it")
    func optionals() throws {
        let types: [Any.Type] = [
            OptionalA.self, OptionalB.self, OptionalC.self, OptionalD.self, OptionalE.self, OptionalF.self,
            OptionalG.self, OptionalH.self, OptionalI.self, Nest.OptionalJ.self, Nest.OptionalK.self,
        ]
        for type in types { #expect(!isPersistable(type), "\(type)") }
        expectEqual(try inserted(OptionalA(id: nil, n: 1)).id, 1)
        expectEqual(try inserted(OptionalB(id: nil, n: 1)), OptionalB(id: 1, n: 1))
        expectEqual(try inserted(OptionalC(n: 1)), OptionalC(id: 1, n: 1))
        expectEqual(try inserted(OptionalD(n: 1)), OptionalD(id: 1, n: 1))
        expectEqual(try inserted(OptionalE(n: 1)), OptionalE(id: 1, n: 1))
        expectEqual(try inserted(OptionalF(n: 1)), OptionalF(id: 1, n: 1))
        expectEqual(try inserted(OptionalG(id: nil, n: 1)).id, 1)
        expectEqual(try inserted(OptionalH(n: "x")), OptionalH(id: 1, n: "x"))
        expectEqual(try inserted(OptionalI(id: nil, n: 1)).id, 1)
        expectEqual(try inserted(Nest.OptionalJ(n: nil)), Nest.OptionalJ(id: 1, n: nil))
        expectEqual(try inserted(Nest.OptionalK(id: nil, n: nil)), Nest.OptionalK(id: 1, n: nil))
        expectEqual(try roundTrip(ConstantKey(id: 5), columns: table), ConstantKey(id: 5))
    }

    /// Inserts a record, expects the same row, and returns the record after the insertion.
    private func inserted<Record: FetchableRecord & MutablePersistableRecord & Equatable>(
        _ record: Record
    ) throws -> Record {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE a (\(table))")
            var record = record
            try record.insert(db)
            expectEqual(try Record.fetchAll(db), [record])
            return record
        }
    }

    @Test("records without properties that a row or an insertion sets")
    func constants() throws {
        expectEqual(try roundTrip(OnlyConstants(), columns: table), OnlyConstants())
        try DatabaseQueue().write { db in
            expectEqual(try ConstantSelection.fetchOne(db, sql: "SELECT 5 AS n"), ConstantSelection())
            try db.execute(sql: "CREATE TABLE a (id INT, n INT AS (7))")
            expectFailure(.SQLITE_MISUSE, "OnlyGenerated: invalid empty persistence container") {
                try OnlyGenerated(n: 0).insert(db)
            }
            expectEqual(try OnlyGenerated.fetchOne(db, sql: "SELECT 7 AS n"), OnlyGenerated(n: 7))
            expectEqual(try ConditionalSelection.fetchOne(db, sql: "SELECT 1"), ConditionalSelection())
        }
    }

    @Test("a property wrapper whose value is stored in its usual format")
    func wrapper() throws {
        expectEqual(try roundTrip(WrappedText(c: " x "), columns: table), WrappedText(id: 1, c: "x"))
    }

    @Test("conditions, types that refer to the record, and the main actor")
    @MainActor
    func otherDeclarations() throws {
        var conditions = Conditions()
        conditions.id = 1
        expectEqual(try roundTrip(Conditions(), columns: table), conditions)
        let references = References(many: [3], k: 4, b: 2)
        var stored = references
        stored.id = 1
        expectEqual(try roundTrip(references, columns: table), stored)
        let partial = try DatabaseQueue().read { db in try References.fetchOne(db, sql: "SELECT 1 AS k, 2 AS b") }
        expectEqual(partial?.many, [5, 5])
        expectEqual(try roundTrip(MainActorStruct(n: 1), columns: table), MainActorStruct(id: 1, n: 1))
    }
}
#endif
