import Amalgam
import ServiceInputs

extension MetadataEdit {
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
