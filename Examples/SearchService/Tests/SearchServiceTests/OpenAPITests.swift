import Hummingbird
import Testing

@testable import SearchService

@Suite struct `The OpenAPI document` {
    @Test func `describes exactly the routes of the API`() throws {
        let test = try TestService()
        let routes = try test.service.router().routes.filter { $0.method != .head }.map { route in
            "\(route.method.rawValue) \(route.path)".replacing(/:([a-z]+)/) { "{\($0.output.1)}" }
        }
        #expect(try OpenAPI().operations == Set(routes.filter { $0.contains(" /api/") }))
    }

    /// Each operation, with requests that succeed and that fail.
    @Test func `describes what the handlers answer`() async throws {
        let (openAPI, test) = (try OpenAPI(), try TestService())
        let id = try test.id("src/heron.txt")
        let requests: [(method: HTTPRequest.Method, path: String, uri: String, body: String?, status: Int)] = [
            (.get, "/api/search", "/api/search?q=otter", nil, 200),
            (.get, "/api/search", "/api/search?count=0", nil, 400),
            (.get, "/api/context", "/api/context?q=databsae&typing=1", nil, 200),
            (.get, "/api/plan", "/api/plan?q=otter", nil, 200),
            (.get, "/api/status", "/api/status", nil, 200),
            (.get, "/api/documents/{id}", "/api/documents/\(id)", nil, 200),
            (.get, "/api/documents/{id}", "/api/documents/\(id)?at=2999-01-01T00:00:00Z", nil, 200),
            (.get, "/api/documents/{id}", "/api/documents/\(id)?at=yesterday", nil, 400),
            (.get, "/api/documents/{id}", "/api/documents/\(id)?at=1999-01-01T00:00:00Z", nil, 404),
            (.get, "/api/documents/{id}", "/api/documents/999", nil, 404),
            (.get, "/api/documents/{id}", "/api/documents/x", nil, 404),
            (.patch, "/api/documents/{id}", "/api/documents/\(id)", #"{"version": 1, "title": "New"}"#, 200),
            (.patch, "/api/documents/{id}", "/api/documents/\(id)", #"{"version": 1, "title": "Newer"}"#, 409),
            (.patch, "/api/documents/{id}", "/api/documents/\(id)", "[]", 422),
            (.patch, "/api/documents/{id}", "/api/documents/999", #"{"version": 1}"#, 404),
            (.get, "/api/documents/{id}/history", "/api/documents/\(id)/history", nil, 200),
            (.get, "/api/documents/{id}/history", "/api/documents/\(id)/history?before=x", nil, 400),
            (.post, "/api/documents/{id}/undo", "/api/documents/\(id)/undo", "{}", 200),
            (.post, "/api/documents/{id}/redo", "/api/documents/\(id)/redo", "{}", 200),
            (.post, "/api/documents/{id}/undo", "/api/documents/999/undo", "{}", 404),
            (.get, "/api/query", "/api/query?sql=SELECT%201,%20x'00',%20NULL,%201.5", nil, 200),
            (.get, "/api/query", "/api/query?sql=SELEC", nil, 400),
            (.get, "/api/query", "/api/query?sql=PRAGMA%20page_size", nil, 403),
            (.get, "/api/query", "/api/query", nil, 400),
            (.get, "/api/schema", "/api/schema", nil, 200),
            (.get, "/api/openapi.json", "/api/openapi.json", nil, 200),
        ]
        try await test.test { browser in
            var browser = browser
            browser.headers[.contentType] = "application/json"
            for request in requests {
                let answer = try await browser.send(request.method, request.uri, request.body)
                #expect(answer.status == request.status, "\(request.uri): \(answer.text)")
                let problems = openAPI.problems(answer, request.method.rawValue, request.path)
                #expect(problems.isEmpty, "\(request.method) \(request.uri): \(answer.text)")
            }
        }
    }
}
