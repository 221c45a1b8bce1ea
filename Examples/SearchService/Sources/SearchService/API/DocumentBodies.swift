import Amalgam
import Foundation
import ServiceInputs

/// A document in the API.
struct DocumentBody: Codable {
    var id: Int64
    var path: String
    var language: String?
    var modified: Date
    var title: String
    var metadata: JSONValue
    var body: String
    /// The version for the next edit; nil for an earlier state.
    var version: Int?

    init(_ document: Document, version: Int?) {
        id = document.id
        path = document.path
        language = document.language
        modified = document.modified
        title = document.title
        metadata = JSONValue(json: document.metadata) ?? .null
        body = document.body
        self.version = version
    }
}

/// The answer to an edit of an older version.
struct ConflictBody: Codable {
    var error: APIError.Details
    var current: DocumentBody

    init(_ current: VersionedDocument) {
        error = APIError.Details(message: "The document has changed since version was read.")
        self.current = DocumentBody(current.document, version: current.version)
    }
}

/// The answer to an undo or redo.
struct StepBody: Codable {
    /// Whether there was an edit to undo or redo.
    var didChange: Bool
}

struct HistoryBody: Codable {
    struct Entry: Codable {
        var id: Int64
        var date: String
        var actor: String?
        var reason: String?
        var operation: String
        var changes: [Change]

        init(_ entry: AuditLog.Entry) {
            id = entry.id
            date = Moment.text(entry.date)
            actor = entry.actor
            reason = entry.reason
            operation = entry.operation.rawValue
            changes = entry.changes.map { change in
                Change(
                    column: change.columnName, old: change.oldValue.map { JSONValue($0) } ?? .null,
                    new: change.newValue.map { JSONValue($0) } ?? .null)
            }
        }
    }

    struct Change: Codable {
        var column: String
        var old: JSONValue
        var new: JSONValue
    }

    var entries: [Entry]
}
