import Amalgam
import ServiceInputs

/// Runs SQL of strangers: on read-only connections that the rest of the service doesn't use, with limits of time, rows and
/// memory, and only so many statements at a time.
struct QuerySandbox: Sendable {
    private let pool: DatabasePool
    private let gate = QueryGate(limit: Self.queryLimit)

    /// The number of statements at a time.
    static let queryLimit = 2
    static let rowLimit = 1_000
    /// The size of a result, in bytes.
    static let sizeLimit = 4 << 20
    static let timeLimit = Duration.seconds(2)

    init(path: String, wording: Wording) throws {
        var configuration = Configuration()
        configuration.label = "SearchService.sandbox"
        configuration.readonly = true
        configuration.maximumReaderCount = Self.queryLimit
        configuration.harden()
        let synonyms = wording.synonymTokenizer
        configuration.prepareDatabase { db in
            db.add(tokenizer: synonyms)
            try db.execute(sql: "PRAGMA cache_size = -4000")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
    }

    func close() throws { try pool.close() }

    private static let sandbox: Sandbox = {
        var sandbox = Sandbox.readOnly(tables: [
            "document", "documentText", "documentWords", "documentTerms", "revision", "amalgam_audit",
            "amalgam_audit_table", "amalgam_audit_origin", "amalgam_audit_change",
        ])
        sandbox.limits.time = timeLimit
        sandbox.maximumRowCount = rowLimit + 1
        return sandbox
    }()

    /// Runs a SELECT statement.
    ///
    /// - Throws: a ``QueryRefusal`` that tells the stranger what is wrong.
    func run(_ sql: String) async throws -> QueryResult {
        guard gate.enter() else { throw QueryRefusal(.busy, "Other queries are running: try again in a second.") }
        defer { gate.leave() }
        do {
            return try await pool.read { db in try db.sandboxed(Self.sandbox) { try Self.fetch(db, sql) } }
        } catch let error as DatabaseError {
            throw QueryRefusal(error)
        }
    }

    private static func fetch(_ db: Database, _ sql: String) throws -> QueryResult {
        let start = ContinuousClock.now
        let statement = try db.makeStatement(sql: sql)
        var result = QueryResult(columns: statement.columnNames)
        var size = 0
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() {
            size += row.databaseValues.reduce(0) { $0 + $1.byteCount }
            if result.rows.count == rowLimit || size > sizeLimit {
                result.isTruncated = true
                break
            }
            result.rows.append(row.databaseValues.map { JSONValue($0) })
        }
        result.milliseconds = (start.duration(to: .now) / .milliseconds(1) * 100).rounded() / 100
        return result
    }
}

extension DatabaseValue {
    fileprivate var byteCount: Int {
        switch storage {
        case .null, .int64, .double: 8
        case .string(let text): text.utf8.count
        case .blob(let data): data.count
        }
    }
}
