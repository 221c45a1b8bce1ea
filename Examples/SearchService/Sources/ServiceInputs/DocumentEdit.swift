package import Foundation

/// The change of a document by an editor. Columns that are nil stay.
package struct DocumentEdit: Codable, Equatable, Sendable {
    /// The version that the editor has read.
    package var version: Int
    package var title: String?
    package var body: String?
    /// The changes of the metadata, in this order.
    package var metadata: [MetadataEdit]?
    /// Who edits, for the history.
    package var actor: String?
    /// Why, for the history.
    package var reason: String?

    package init(
        version: Int, title: String? = nil, body: String? = nil, metadata: [MetadataEdit]? = nil,
        actor: String? = nil, reason: String? = nil
    ) {
        self.version = version
        self.title = title
        self.body = body
        self.metadata = metadata
        self.actor = actor
        self.reason = reason
    }

    /// - Throws: ``InvalidInput`` if the JSON isn't an edit.
    package init(json: Data) throws {
        do {
            self = try JSONDecoder().decode(DocumentEdit.self, from: json)
        } catch {
            throw InvalidInput(.unprocessable, "The body isn't an edit of a document.")
        }
    }
}

/// The change of one member of the metadata.
package struct MetadataEdit: Codable, Equatable, Sendable {
    package enum Operation: String, Codable, Sendable { case set, remove }

    package var operation: Operation
    /// Keys, from the outside to the inside.
    package var path: [String]
    /// The new value. Missing for a removal.
    package var value: JSONValue?

    package init(operation: Operation, path: [String], value: JSONValue? = nil) {
        self.operation = operation
        self.path = path
        self.value = value
    }
}
