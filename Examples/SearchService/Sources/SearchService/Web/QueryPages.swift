import Amalgam
import Hummingbird
import ServiceInputs

/// The query page and the schema browser.
struct QueryPages: Sendable {
    let sandbox: QuerySandbox
    let store: Store
    let pages: Pages

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/query", use: query)
        router.get("/schema", use: schema)
    }

    private func query(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = request.fields
        var view = QueryView(sql: fields["sql"] ?? "")
        if !view.sql.allSatisfy(\.isWhitespace) {
            do {
                let result = try await sandbox.run(view.sql)
                if fields["format"] == "csv" { return .text(result.csv, type: "text/csv; charset=utf-8") }
                if fields["format"] == "json" { return try .json(result) }
                view.show(result)
            } catch let refusal as QueryRefusal {
                view.problem = refusal.message
                return try pages.render("query", title: "Query", view, context, status: refusal.status)
            }
        }
        return try pages.render("query", title: "Query", view, context)
    }

    private func schema(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let listing = try await store.pool.read { db in try SchemaListing(db) }
        return try pages.render("schema", title: "Schema", listing, context)
    }
}

extension QueryRefusal {
    var status: HTTPResponse.Status {
        switch reason {
        case .denied: .forbidden
        case .limit: .unprocessableContent
        case .invalid: .badRequest
        case .busy: .serviceUnavailable
        }
    }
}

/// What the query page shows.
struct QueryView {
    struct Example {
        var name: String
        var sql: String
        var link: String

        init(_ name: String, _ sql: String) {
            (self.name, self.sql) = (name, sql)
            var fields = FormFields()
            fields.append("sql", sql)
            link = "/query?" + fields.encoded
        }
    }

    struct Cells {
        var cells: [String]
    }

    var sql: String
    var problem: String?
    var hasResult = false
    var columns: [String] = []
    var rows: [Cells] = []
    var summary = ""
    let examples = Self.examples

    init(sql: String) { self.sql = sql }

    mutating func show(_ result: QueryResult) {
        hasResult = true
        columns = result.columns
        rows = result.rows.map { row in Cells(cells: row.map { $0 == .null ? "NULL" : String($0.text.prefix(500)) }) }
        let count = result.rows.count == 1 ? "1 row" : "\(result.rows.count) rows"
        summary = "\(count)\(result.isTruncated ? ", and more" : ""), \(result.milliseconds) ms"
    }

    private static let examples = [
        Example(
            "Documents by kind",
            """
            SELECT metadata ->> 'kind' AS kind, count(*) AS documents
            FROM document GROUP BY kind ORDER BY documents DESC
            """),
        Example(
            "Members of the metadata, with json_each",
            """
            SELECT key, json_each.type, count(*) AS documents
            FROM document, json_each(document.metadata)
            GROUP BY key, json_each.type ORDER BY documents DESC
            """),
        Example(
            "A full-text search",
            """
            SELECT rowid, snippet(documentText, 1, '[', ']', '…', 12) AS snippet
            FROM documentText WHERE documentText MATCH 'database' ORDER BY rank LIMIT 10
            """),
        Example(
            "The most frequent words",
            "SELECT term, doc, cnt FROM documentTerms ORDER BY doc DESC LIMIT 20"),
        Example(
            "Who changed titles",
            """
            SELECT date, actor, key, changes ->> '$.title[0]' AS old, changes ->> '$.title[1]' AS new
            FROM amalgam_audit WHERE changes -> '$.title' IS NOT NULL ORDER BY id DESC LIMIT 20
            """),
        Example("Something that isn't allowed", "ATTACH 'other.sqlite' AS other"),
    ]
}
