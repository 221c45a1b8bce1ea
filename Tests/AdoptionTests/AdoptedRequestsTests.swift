import Amalgam
import CAmalgam
import Foundation
import Testing

/// Public protocols of requests, records, full text, observation and dumps, adopted by types of an application.
@Suite("Protocols of requests, records, full text, observation and dumps that applications adopt")
struct AdoptedRequestsTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var name: String
        static let databaseTableName = "player"
    }

    private func run(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db throws in
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text)
            }
            try Player(id: 1, name: "Anna").insert(db)
            try Player(id: 2, name: "Bo").insert(db)
            try body(db)
        }
    }

    @Test("FetchRequest and SQLSubqueryable")
    func requests() throws {
        struct Names: FetchRequest {
            typealias RowDecoder = String
            private var request: SQLRequest<String> { SQLRequest(sql: "SELECT name FROM player ORDER BY id") }
            var sqlSubquery: SQLSubquery { request.sqlSubquery }
            func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
                try request.makePreparedRequest(db, forSingleResult: singleResult)
            }
            func fetchCount(_ db: Database) throws -> Int { try request.fetchCount(db) }
        }
        try run { db throws in
            #expect(try Names().fetchAll(db) == ["Anna", "Bo"])
            #expect(try Names().fetchCount(db) == 2)
            #expect(try Player.filter(Names().contains(Column("name"))).fetchCount(db) == 2)
        }
    }

    @Test("DerivableRequest, by the relation of another request")
    func derivableRequests() throws {
        struct Named: DerivableRequest {
            typealias RowDecoder = Player
            var _relation = Player.all()._relation
        }
        try run { db throws in
            var request = Player.all()
            request._relation = Named().filter(Column("name") == "Bo")._relation
            #expect(try request.fetchAll(db) == [Player(id: 2, name: "Bo")])
        }
    }

    @Test("ColumnExpression and SQLSpecificExpressible")
    func expressions() throws {
        enum Columns: String, ColumnExpression { case name }
        struct Upper: SQLSpecificExpressible {
            var column: Columns
            var sqlExpression: SQLExpression { SQL("UPPER(\(column))").sqlExpression }
        }
        try run { db throws in
            let request = Player.filter(Upper(column: .name) == "BO").order(Columns.name).select(Upper(column: .name))
            #expect(try String.fetchAll(db, request) == ["BO"])
        }
    }

    @Test("SQLExpressible, SQLSelectable and SQLOrderingTerm")
    func terms() throws {
        struct Two: SQLExpressible { var sqlExpression: SQLExpression { 2.sqlExpression } }
        struct Names: SQLSelectable { var sqlSelection: SQLSelection { Column("name").sqlSelection } }
        struct Backwards: SQLOrderingTerm { var sqlOrdering: SQLOrdering { Column("id").desc.sqlOrdering } }
        try run { db throws in
            let request = Player.filter(Column("id") <= Two()).select(Names()).order(Backwards())
            #expect(try String.fetchAll(db, request) == ["Bo", "Anna"])
        }
    }

    @Test("SQLOperand, SQLNumericOperand and SQLCondition")
    func operands() throws {
        struct Length: SQLNumericOperand, SQLCondition {
            var sqlExpression: SQLExpression { length(Column("name")) }
            var sqlSelection: SQLSelection { sqlExpression.sqlSelection }
            var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
        }
        try run { db throws in
            let lengths = Player.order(Length()).select(cast(Length(), as: .text))
            #expect(try String.fetchAll(db, lengths) == ["2", "4"])
            try Player.updateAll(db, TypedColumn<Int64>("id") += Length())
            #expect(try Int.fetchAll(db, Player.select(Column("id")).order(Column("id"))) == [4, 5])
            #expect(try Player.filter(Length()).fetchCount(db) == 2)
        }
    }

    @Test("NamedColumn")
    func namedColumns() throws {
        struct Name: NamedColumn { var name: String { "name" } }
        try run { db throws in
            #expect(try Int.fetchAll(db, Player.select(.allColumns(excluding: [Name()]))) == [1, 2])
            try Player(id: 1, name: "Carl").update(db, columns: [Name()])
            #expect(try Player.find(db, key: 1).name == "Carl")
        }
    }

    @Test("SQLNumericValue, SQLIntegerValue, SQLStringValue and SQLBooleanValue")
    func columnValues() throws {
        struct Points: RawRepresentable, SQLNumericValue { var rawValue: Double }
        struct Flags: OptionSet, SQLIntegerValue { var rawValue: Int }
        struct Name: RawRepresentable, SQLStringValue { var rawValue: String }
        struct Flag: RawRepresentable, SQLBooleanValue { var rawValue: Bool }
        let (points, flags) = (TypedColumn<Points>("id"), TypedColumn<Flags>("id"))
        let (name, flag) = (TypedColumn<Name>("name"), TypedColumn<Flag>("id"))
        try run { db throws in
            let request = Player.filter(flag && name.like("A%") && flags & Flags(rawValue: 1) != 0)
            #expect(try Double.fetchAll(db, request.select(points + Points(rawValue: 0.5))) == [1.5])
        }
    }

    @Test("SQLJSONExpressible")
    func json() throws {
        struct Info: SQLJSONExpressible { var sqlExpression: SQLExpression { Column("info").sqlExpression } }
        try DatabaseQueue().write { db throws in
            try db.execute(sql: #"CREATE TABLE t (info); INSERT INTO t VALUES ('{"a": 5}')"#)
            #expect(try Int.fetchOne(db, Table("t").select(Info()["a"])) == 5)
        }
    }

    @Test("VirtualTableModule")
    func virtualTableModules() throws {
        struct Tree: VirtualTableModule {
            final class Definition { var columns: [String] = [] }
            let moduleName = "rtree"
            func makeTableDefinition(configuration: VirtualTableConfiguration) -> Definition { Definition() }
            func moduleArguments(for definition: Definition, in db: Database) -> [String] { definition.columns }
            func database(_ db: Database, didCreate tableName: String, using definition: Definition) {}
        }
        try run { db throws in
            try db.create(virtualTable: "area", using: Tree()) { $0.columns = ["id", "minX", "maxX"] }
            #expect(try db.columns(in: "area").map(\.name) == ["id", "minX", "maxX"])
        }
    }

    @Test("FTS5CustomTokenizer and FTS5WrapperTokenizer")
    func tokenizers() throws {
        final class Bytes: FTS5CustomTokenizer {
            static let name = "bytes"
            init(db: Database, arguments: [String]) {}
            func tokenize(
                context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
                nText: CInt, tokenCallback: @escaping FTS5TokenCallback
            ) -> CInt {
                for offset in 0..<nText {
                    let code = tokenCallback(context, 0, pText! + Int(offset), 1, offset, offset + 1)
                    if code != SQLITE_OK { return code }
                }
                return SQLITE_OK
            }
        }
        final class WithoutVowels: FTS5WrapperTokenizer {
            static let name = "withoutVowels"
            let wrappedTokenizer: any FTS5Tokenizer
            init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.ascii()) }
            func accept(
                token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
                tokenCallback: FTS5WrapperTokenCallback
            ) throws {
                try tokenCallback(token.filter { !"aeiou".contains($0) }, flags)
            }
        }
        try run { db throws in
            db.add(tokenizer: Bytes.self)
            db.add(tokenizer: WithoutVowels.self)
            let bytes = try db.makeTokenizer(Bytes.tokenizerDescriptor())
            #expect(try bytes.tokenize(query: "abc").map(\.token) == ["a", "b", "c"])
            let consonants = try db.makeTokenizer(WithoutVowels.tokenizerDescriptor())
            #expect(try consonants.tokenize(document: "Moby Dick").map(\.token) == ["mby", "dck"])
        }
    }

    @Test("DumpFormat")
    func dumps() throws {
        struct Dots: DumpFormat {
            var count = 0
            mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                count += 1
                stream.write(".")
            }
            mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                stream.write("\(count)\n")
            }
        }
        final class Text: TextOutputStream {
            var string = ""
            func write(_ string: String) { self.string += string }
        }
        try run { db throws in
            let text = Text()
            try db.dumpRequest(Player.all(), format: Dots(), to: text)
            #expect(text.string == "..2\n")
        }
    }

    @Test("ValueReducer, ValueObservationScheduler and DatabaseCancellable")
    func observation() throws {
        struct Maximum: ValueReducer {
            struct Fetcher: _ValueReducerFetcher {
                func fetch(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "SELECT max(id) FROM player") }
            }
            var maximum = 0
            func _makeFetcher() -> Fetcher { Fetcher() }
            mutating func _value(_ fetched: Int?) -> Int? {
                guard let fetched, fetched > maximum else { return nil }
                maximum = fetched
                return fetched
            }
        }
        struct InPlace: ValueObservationScheduler {
            func immediateInitialValue() -> Bool { true }
            func schedule(_ action: @escaping @Sendable () -> Void) { action() }
        }
        struct Wrapper: DatabaseCancellable {
            let base: AnyDatabaseCancellable
            func cancel() { base.cancel() }
        }
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE player (id); INSERT INTO player VALUES (1)") }
        let values = Values()
        let observation = ValueObservation(makeReducer: { Maximum() })
        let cancellable = observation.start(
            in: queue, scheduling: InPlace(), onError: { Issue.record($0) }, onChange: { values.append($0) })
        #expect(values.all == [1])
        AnyDatabaseCancellable(Wrapper(base: cancellable)).cancel()
    }

    private final class Values: @unchecked Sendable {
        // Sendable: guarded by the lock.
        private let lock = NSLock()
        private var stored: [Int] = []
        func append(_ value: Int) { lock.withLock { stored.append(value) } }
        var all: [Int] { lock.withLock { stored } }
    }

    @Test("FetchableRecord, EncodableRecord and the persistable records")
    func records() throws {
        struct Score: FetchableRecord, MutablePersistableRecord {
            static let databaseTableName = "score"
            var id: Int64?
            var points: Int

            init(points: Int) { self.points = points }
            init(row: Row) throws { (id, points) = (row["id"], row["points"]) }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["points"] = points
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try run { db throws in
            try db.execute(sql: "CREATE TABLE score (id INTEGER PRIMARY KEY, points INTEGER)")
            var score = Score(points: 5)
            try score.insert(db)
            #expect(score.id == 1)
            #expect(try Score.fetchOne(db, key: 1)?.points == 5)
        }
    }
}
