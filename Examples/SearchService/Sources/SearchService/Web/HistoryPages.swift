import Amalgam
import Hummingbird
import ServiceInputs

/// The history of a document: who changed what, when and why.
struct HistoryPages: Sendable {
    let editor: Editor
    let history: DocumentHistory
    let pages: Pages

    func addRoutes(to router: Router<ServiceContext>) { router.get("/documents/:id/history", use: show) }

    private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let id = try context.documentID()
        let before = try request.fields.entryBefore()
        let entries = try await history.entries(of: id, before: before, count: Self.pageSize + 1)
        guard let title = try await editor.document(id)?.document.title ?? (entries.isEmpty ? nil : "Deleted document")
        else { throw HTTPError(.notFound, message: "There is no such document.") }
        let view = HistoryView(id: id, title: title, entries: entries, pageSize: Self.pageSize)
        return try pages.render("history", title: "History of \(title)", view, context)
    }

    private static let pageSize = 20
}

/// What the history page shows.
struct HistoryView {
    struct Entry {
        var date: String
        var actor: String
        var reason: String?
        var operation: String
        var changes: [Change]
        var momentLink: String
    }

    struct Change {
        var column: String
        var lines: [Line]
    }

    struct Line {
        var kind: String
        var text: String
    }

    var id: Int64
    var title: String
    var entries: [Entry]
    var nextLink: String?

    init(id: Int64, title: String, entries: [AuditLog.Entry], pageSize: Int) {
        self.id = id
        self.title = title
        self.entries = entries.prefix(pageSize).map { Entry($0, id) }
        if entries.count > pageSize { nextLink = "/documents/\(id)/history?before=\(entries[pageSize - 1].id)" }
    }
}

extension HistoryView.Entry {
    fileprivate init(_ entry: AuditLog.Entry, _ id: Int64) {
        date = Moment.text(entry.date)
        actor = entry.actor ?? "unknown"
        reason = entry.reason
        operation = entry.operation.rawValue.lowercased()
        changes = entry.changes.map(HistoryView.Change.init)
        momentLink = "/documents/\(id)?at=\(Moment.text(entry.date))"
    }
}

extension HistoryView.Change {
    fileprivate init(_ change: AuditLog.ColumnChange) {
        column = change.columnName
        let diff = LineDiff(Self.text(change.oldValue), Self.text(change.newValue))
        lines = diff.lines.map { HistoryView.Line(kind: $0.kind.rawValue, text: $0.text) }
    }

    private static func text(_ value: DatabaseValue?) -> String {
        value.map { $0.isNull ? "" : JSONValue($0).text } ?? "redacted"
    }
}
