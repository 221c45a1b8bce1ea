import Amalgam
import Foundation
import Hummingbird
import ServiceInputs

/// The pages of a document: its text, now and at a moment; its edits.
struct DocumentPages: Sendable {
    let editor: Editor
    let history: DocumentHistory
    let pages: Pages
    let guards: Guards
    let cookies: VisitorCookies

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/documents/:id", use: show)
        router.get("/documents/:id/edit", use: form)
        router.post("/documents/:id/edit", use: save)
        router.post("/documents/:id/undo") { try await step($0, $1, editor.undo) }
        router.post("/documents/:id/redo") { try await step($0, $1, editor.redo) }
    }

    private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let id = try context.documentID()
        let moment = try Moment.date(request.fields)
        let document =
            if let moment { try await history.document(id, at: moment) } else {
                try await editor.document(id)?.document
            }
        guard let document else { throw HTTPError(.notFound, message: "There is no such document.") }
        let undo = context.visitor.mayEdit && moment == nil ? editor.histories.history(of: id) : nil
        let view = DocumentView(document, moment: moment, history: undo)
        return try pages.render("document", title: document.title, view, context)
    }

    private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try guards.requireEditor(context)
        let current = try await current(context)
        let view = EditView(current, actor: VisitorCookies.actor(request) ?? "")
        return try pages.render("edit", title: "Edit \(current.document.title)", view, context)
    }

    private func save(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let id = try context.documentID()
        let edit = try EditForm(try await guards.form(request, context)).edit
        do {
            guard try await editor.save(id, edit) != nil else { throw HTTPError(.notFound) }
            var response = Response.redirect(to: "/documents/\(id)")
            if let actor = edit.actor { response.setCookie(cookies.makeActor(actor)) }
            return response
        } catch let conflict as EditConflict {
            let view = try await ConflictView(edit, conflict.current, metadata: editor.metadata(id, after: edit))
            return try pages.render("conflict", title: "Conflict", view, context, status: .conflict)
        }
    }

    private func step(
        _ request: Request, _ context: ServiceContext, _ step: (Int64, String?) async throws -> Bool
    ) async throws -> Response {
        let id = try context.documentID()
        _ = try await guards.form(request, context)
        do {
            _ = try await step(id, VisitorCookies.actor(request))
            return .redirect(to: "/documents/\(id)")
        } catch is UndoConflict {
            throw HTTPError(.conflict, message: "The document has changed since, so this can't be undone or redone.")
        }
    }

    private func current(_ context: ServiceContext) async throws -> VersionedDocument {
        guard let current = try await editor.document(try context.documentID()) else {
            throw HTTPError(.notFound, message: "There is no such document.")
        }
        return current
    }
}

extension ServiceContext {
    /// The parameter `id` of the path.
    ///
    /// - Throws: `InvalidInput` if it isn't a number: 404.
    func documentID() throws -> Int64 {
        try DocumentIdentifier.parse(parameters.get("id"))
    }
}
