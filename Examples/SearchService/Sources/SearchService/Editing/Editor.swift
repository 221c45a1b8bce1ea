import Amalgam
import Foundation
import ServiceInputs

/// A document with the version that an editor has to name.
struct VersionedDocument: Codable, Equatable, Sendable {
    var document: Document
    var version: Int
}

/// Someone else has changed the document since the editor has read it.
struct EditConflict: Error {
    var current: VersionedDocument
}

/// Reads and edits documents.
struct Editor: Sendable {
    let store: Store
    let histories = UndoHistories()

    /// Returns a document; nil if there is none.
    func document(_ id: Int64) async throws -> VersionedDocument? {
        try await store.pool.read { db in try Self.document(db, id) }
    }

    private static func document(_ db: Database, _ id: Int64) throws -> VersionedDocument? {
        guard let document = try Document.fetchOne(db, key: id), let version = try Revision.version(db, of: id)
        else { return nil }
        return VersionedDocument(document: document, version: version)
    }

    /// Edits a document, if it still has the version that the editor has read.
    ///
    /// - Returns: the document after the edit; nil if there is none.
    /// - Throws: an ``EditConflict`` with the current document.
    func save(_ id: Int64, _ edit: DocumentEdit) async throws -> VersionedDocument? {
        let history = histories.history(of: id)
        return try await store.pool.write { db in
            guard let current = try Self.document(db, id) else { return nil }
            if current.version != edit.version { throw EditConflict(current: current) }
            let assignments = try edit.makeAssignments()
            if assignments.isEmpty { return current }
            try db.auditing(as: edit.actor, reason: edit.reason) {
                try history.perform(db, named: edit.reason) {
                    _ = try Document.filter { $0.id == id }.updateAll(db, assignments)
                }
            }
            return try Self.document(db, id)
        }
    }

    /// Returns the metadata that a document has after the edits of its members: what an editor gets who keeps them after a
    /// conflict.
    func metadata(_ id: Int64, after edit: DocumentEdit) async throws -> String {
        let edits = try (edit.metadata ?? []).map { try $0.makeEdit() }
        return try await store.pool.read { db in
            let metadata = edits.reduce(Document.Columns.metadata.sqlExpression) { $0.asJSON.edited($1) }
            return try Document.filter { $0.id == id }.select(metadata, as: String.self).fetchOne(db) ?? "{}"
        }
    }

    // MARK: Undo

    /// Undoes the last edit of a document.
    ///
    /// - Returns: whether there was one.
    /// - Throws: an `UndoConflict` if the document has changed since in another way.
    func undo(_ id: Int64, actor: String?) async throws -> Bool {
        let history = histories.history(of: id)
        return try await store.pool.write { db in
            try db.auditing(as: actor, reason: "undo") { try history.undo(db) }
        }
    }

    /// Redoes the edit of a document that was undone last.
    ///
    /// - Returns: whether there was one.
    /// - Throws: an `UndoConflict` if the document has changed since in another way.
    func redo(_ id: Int64, actor: String?) async throws -> Bool {
        let history = histories.history(of: id)
        return try await store.pool.write { db in
            try db.auditing(as: actor, reason: "redo") { try history.redo(db) }
        }
    }
}
