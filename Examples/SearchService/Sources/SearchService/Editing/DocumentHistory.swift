import Amalgam
import Foundation

/// The changes of a document, from the audit log.
struct DocumentHistory: Sendable {
    let store: Store

    private static let table = Document.databaseTableName

    /// Returns the changes of a document, newest first.
    func entries(of id: Int64, before entryID: Int64? = nil, count: Int = 20) async throws -> [AuditLog.Entry] {
        try await store.pool.read { db in
            var request = AuditLog.history(of: Self.table, key: id)
            if let entryID { request = request.filter { $0.id < entryID } }
            return try request.reversed().limit(count).fetchAll(db)
        }
    }

    /// Returns a document as it was at a date; nil if it didn't exist.
    ///
    /// The log begins after the document was indexed. So before that, the document is as it was when it was indexed.
    func document(_ id: Int64, at date: Date) async throws -> Document? {
        try await store.pool.read { db in
            try AuditLog.row(db, in: Self.table, key: id, at: date).map { try Document(row: $0) }
        }
    }
}
