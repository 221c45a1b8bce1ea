import Amalgam

/// The change of a document by an editor. Columns that are nil stay.
struct DocumentEdit: Codable, Sendable {
    /// The version that the editor has read.
    var version: Int
    var title: String?
    var body: String?
    /// The changes of the metadata, in this order.
    var metadata: [MetadataEdit]?
    /// Who edits, for the history.
    var actor: String?
    /// Why, for the history.
    var reason: String?
}

/// The change of one member of the metadata.
struct MetadataEdit: Codable, Equatable, Sendable {
    enum Operation: String, Codable, Sendable { case set, remove }

    var operation: Operation
    /// Keys, from the outside to the inside.
    var path: [String]
    /// The new value. Missing for a removal.
    var value: JSONValue?

    func makeEdit() throws -> JSONEdit {
        let path = JSONPath(path.map { .key($0) })
        return switch operation {
        case .set: try .set(path, encoding: value ?? .null)
        case .remove: .remove(path)
        }
    }
}

extension DocumentEdit {
    /// The assignments of the UPDATE statement.
    func makeAssignments() throws -> [ColumnAssignment] {
        var assignments: [ColumnAssignment] = []
        if let title { assignments.append(Document.Columns.title.set(to: title)) }
        if let body { assignments.append(Document.Columns.body.set(to: body)) }
        if let metadata, !metadata.isEmpty {
            assignments.append(Document.Columns.metadata.edit(try metadata.map { try $0.makeEdit() }))
        }
        return assignments
    }
}
