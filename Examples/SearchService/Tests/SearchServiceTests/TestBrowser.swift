import Foundation
import Hummingbird
import HummingbirdTesting
import ServiceInputs
import Testing

@testable import SearchService

/// Sends requests, as a browser or a program does.
struct TestBrowser: Sendable {
    let client: any TestClientProtocol
    var headers: HTTPFields = [:]

    /// A response, and its body as a string.
    struct Answer: Sendable {
        var status: Int
        var headers: HTTPFields
        var text: String

        func decoded<T: Decodable>(_ type: T.Type = T.self) throws -> T {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(type, from: Data(text.utf8))
        }
    }

    func get(_ uri: String) async throws -> Answer { try await send(.get, uri) }

    /// Sends a form of a page, with its token and cookie.
    func submit(_ fields: KeyValuePairs<String, String>, to uri: String, from page: String) async throws -> Answer {
        var browser = self
        let answer = try await browser.get(page)
        if let cookie = answer.headers[.setCookie]?.prefix(while: { $0 != ";" }) {
            browser.headers[.cookie] = String(cookie)
        }
        var form = FormFields()
        form.append("token", answer.text.value(of: "token") ?? "")
        for (name, value) in fields { form.append(name, value) }
        browser.headers[.contentType] = "application/x-www-form-urlencoded"
        return try await browser.send(.post, uri, form.encoded)
    }

    func send(_ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil) async throws -> Answer {
        try await client.execute(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
        ) { response in
            Answer(status: response.status.code, headers: response.headers, text: String(buffer: response.body))
        }
    }

    func json(_ method: HTTPRequest.Method, _ uri: String, _ value: some Encodable) async throws -> Answer {
        var browser = self
        browser.headers[.contentType] = "application/json"
        return try await browser.send(method, uri, String(decoding: JSONEncoder().encode(value), as: UTF8.self))
    }
}

extension String {
    /// The value of the first input of a page with this name.
    func value(of name: String) -> String? {
        guard let input = firstRange(of: "name=\"\(name)\" value=\"") else { return nil }
        return String(self[input.upperBound...].prefix { $0 != "\"" })
    }
}
