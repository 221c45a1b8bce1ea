import Foundation
import ServiceInputs
import Testing

@testable import SearchService

/// The OpenAPI document that the service serves, to compare it with the handlers.
struct OpenAPI {
    let document: JSONValue

    init() throws {
        let text = try String(contentsOf: Resources.url("openapi.json"), encoding: .utf8)
        document = try #require(JSONValue(json: text))
    }

    /// Such as `GET /api/documents/{id}`.
    var operations: Set<String> {
        Set(
            document["paths"].members.flatMap { path, methods in
                methods.members.keys.map { "\($0.uppercased()) \(path)" }
            })
    }

    /// Returns what is wrong with an answer, according to the document.
    func problems(_ answer: TestBrowser.Answer, _ method: String, _ path: String) -> [String] {
        let responses = document["paths"][path][method.lowercased()]["responses"]
        guard let response = responses.members["\(answer.status)"] else { return ["status \(answer.status)"] }
        let schema = response["content"]["application/json"]["schema"]
        guard let value = JSONValue(json: answer.text) else { return ["no JSON"] }
        return problems(value, schema, at: "$")
    }

    private func problems(_ value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        if let reference = schema["$ref"].string {
            let name = String(reference.split(separator: "/").last ?? "")
            return problems(value, document["components"]["schemas"][name], at: path)
        }
        guard let type = schema["type"].string else { return [] }
        switch (type, value) {
        case ("object", .object(let members)): return memberProblems(members, schema, at: path)
        case ("array", .array(let elements)):
            return elements.enumerated().flatMap { problems($1, schema["items"], at: "\(path)[\($0)]") }
        case ("string", .string), ("boolean", .bool), ("integer", .integer), ("number", .integer), ("number", .number):
            return []
        default: return ["\(path) isn't \(type)"]
        }
    }

    private func memberProblems(_ members: [String: JSONValue], _ schema: JSONValue, at path: String) -> [String] {
        let known = schema["properties"].members
        let missing = schema["required"].elements.compactMap(\.string).filter { members[$0] == nil }
        let unknown = known.isEmpty ? [] : members.keys.filter { known[$0] == nil }
        return missing.map { "\(path).\($0) is missing" } + unknown.map { "\(path).\($0) is unknown" }
            + members.flatMap { name, value in known[name].map { problems(value, $0, at: "\(path).\(name)") } ?? [] }
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue { members[name] ?? .null }

    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
