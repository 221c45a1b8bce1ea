import Amalgam
import Foundation
import Hummingbird

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
    /// The log doesn't have the insertion of a document. So before its first change, the document is as it was indexed.
    ///
    /// - Throws: 404 for a date before the beginning of the log.
    func document(_ id: Int64, at date: Date) async throws -> Document? {
        do {
            return try await store.pool.read { db in
                try AuditLog.row(db, in: Self.table, key: id, at: date).map { try Document(row: $0) }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw HTTPError(.notFound, message: "The history doesn't reach back to this moment.")
        }
    }
}
