import Amalgam
import Foundation
import Hummingbird
import ServiceInputs

/// Reads and edits documents by the API.
struct DocumentAPI: Sendable {
    let editor: Editor
    let history: DocumentHistory
    let guards: Guards

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/api/documents/:id", use: show)
        router.patch("/api/documents/:id", use: edit)
        router.get("/api/documents/:id/history", use: entries)
        router.post("/api/documents/:id/undo") { try await step($0, $1, editor.undo) }
        router.post("/api/documents/:id/redo") { try await step($0, $1, editor.redo) }
    }

    private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let id = try context.documentID()
        if let moment = try Moment.date(request.fields) {
            return try .json(try DocumentBody(found(try await history.document(id, at: moment)), version: nil))
        }
        let current = try found(try await editor.document(id))
        return try .json(DocumentBody(current.document, version: current.version))
    }

    private func edit(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try guards.api(request, context)
        let id = try context.documentID()
        let edit = try await DocumentEdit(json: Data(request.text(context).utf8))
        do {
            let saved = try found(try await editor.save(id, edit))
            return try .json(DocumentBody(saved.document, version: saved.version))
        } catch let conflict as EditConflict {
            return try .json(ConflictBody(conflict.current), status: .conflict)
        }
    }

    private func step(
        _ request: Request, _ context: ServiceContext, _ step: (Int64, String?) async throws -> Bool
    ) async throws -> Response {
        try guards.api(request, context)
        let id = try context.documentID()
        _ = try found(try await editor.document(id))
        do {
            return try .json(StepBody(didChange: try await step(id, nil)))
        } catch is UndoConflict {
            throw HTTPError(.conflict, message: "The document has changed since.")
        }
    }

    private func entries(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let before = try request.fields.entryBefore()
        let entries = try await history.entries(of: try context.documentID(), before: before)
        return try .json(HistoryBody(entries: entries.map(HistoryBody.Entry.init)))
    }

    private func found<T>(_ value: T?) throws -> T {
        if let value { return value }
        throw HTTPError(.notFound, message: "There is no such document.")
    }
}
