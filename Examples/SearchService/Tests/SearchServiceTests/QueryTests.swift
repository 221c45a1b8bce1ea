import Amalgam
import Foundation
import ServiceInputs
import Testing

@testable import SearchService

@Suite struct `The query page` {
    @Test func `shows rows as a table, JSON or CSV`() async throws {
        let uri = "/query?sql=SELECT%20title%20AS%20%22a,b%22,%201.5%20FROM%20document%20ORDER%20BY%20path%20LIMIT%202"
        try await TestService(["a.txt": "x", "b\"1.txt": "y"]).test { browser in
            let table = try await browser.get(uri)
            #expect(table.text.contains("<th scope=\"col\">a,b</th>"))
            #expect(table.text.contains("<td dir=\"auto\">b&quot;1.txt</td>"))
            let json: QueryResult = try await browser.get(uri + "&format=json").decoded()
            #expect(json.rows == [[.string("a.txt"), .number(1.5)], [.string("b\"1.txt"), .number(1.5)]])
            let csv = try await browser.get(uri + "&format=csv")
            #expect(csv.text == "\"a,b\",1.5\r\na.txt,1.5\r\n\"b\"\"1.txt\",1.5\r\n")
        }
    }

    @Test func `runs its examples`() async throws {
        let test = try TestService()
        try await test.test { browser in
            for example in QueryView(sql: "").examples.dropLast() {
                let answer = try await browser.get(example.link)
                #expect(answer.status == 200, "\(example.sql): \(answer.text)")
            }
        }
    }

    @Test func `reads the history of documents`() async throws {
        let test = try TestService()
        let id = try test.id("src/heron.txt")
        try await test.test { browser in
            _ = try await browser.json(.patch, "/api/documents/\(id)", DocumentEdit(version: 1, title: "New"))
            let example = try #require(QueryView(sql: "").examples.first { $0.name == "Who changed titles" })
            let result: QueryResult = try await browser.get(example.link + "&format=json").decoded()
            #expect(result.rows.first?.suffix(2) == [.string("heron.txt"), .string("New")])
        }
    }

    @Test(arguments: [
        "ATTACH 'x' AS x", "PRAGMA page_size", "SELECT load_extension('x')", "DELETE FROM document",
        "DROP TABLE document",
        "UPDATE document SET title = 'x'", "VACUUM INTO 'x'", "BEGIN", "SELECT * FROM setting", "SELECT * FROM source",
        "SELECT * FROM pragma_table_info('document')", "SELECT * FROM sqlite_dbpage", "CREATE TEMP TABLE t (a)",
        "INSERT INTO documentText (documentText) VALUES ('delete-all')", "SELECT * FROM documentText_data",
        "SELECT readfile('/etc/passwd')", "SELECT 1; DELETE FROM document", "DETACH main", "REINDEX", "ANALYZE",
    ])
    func `refuses what isn't a read of documents`(_ sql: String) async throws {
        let test = try TestService()
        await #expect(throws: QueryRefusal.self) { try await test.service.sandbox.run(sql) }
        #expect(try await test.service.store.pool.read(Document.fetchCount) == 3)
    }

    @Test func `ends queries that take too long, or return too much`() async throws {
        let test = try TestService()
        let sandbox = test.service.sandbox
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
        let refusal = await #expect(throws: QueryRefusal.self) { try await sandbox.run("\(endless) count(*) FROM n") }
        #expect(refusal?.reason == .limit)
        let many = try await sandbox.run("\(endless) i FROM n")
        #expect(many.rows.count == QuerySandbox.rowLimit)
        #expect(many.isTruncated)
        let large = try await sandbox.run("\(endless) hex(zeroblob(400000)) FROM n")
        #expect(large.rows.count < 10)
        #expect(large.isTruncated)
        await #expect(throws: QueryRefusal.self) { try await sandbox.run("SELECT zeroblob(100000000)") }
    }

    @Test func `runs two queries at a time, and refuses more`() {
        let gate = QueryGate(limit: 2)
        #expect(gate.enter() && gate.enter() && !gate.enter())
        gate.leave()
        #expect(gate.enter())
    }

    @Test func `lists tables and columns`() async throws {
        let answer = try await TestService().test { try await $0.get("/schema") }
        #expect(answer.text.contains("<h2>document <span class=\"note\">table</span></h2>"))
        #expect(answer.text.contains("<td>metadata</td>"))
        #expect(!answer.text.contains("documentText_data"))
    }
}
