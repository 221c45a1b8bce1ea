import Amalgam
import Dispatch
import Foundation

/// A copy of the database at one moment, in a temporary file. The service reads and writes while it is made.
final class Backup: Sendable {
    private let folder: URL
    let size: Int

    private static let queue = DispatchQueue(label: "SearchService.backup", qos: .utility)

    static func make(of store: Store) async throws -> Backup {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try Backup(store) }) }
        }
    }

    private init(_ store: Store) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "search-service-backup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = folder.appending(path: "backup.sqlite").path(percentEncoded: false)
        do {
            let copy = try DatabaseQueue(path: path)
            try store.pool.backup(to: copy, pagesPerStep: 1_000)
            try copy.close()
            size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func open() throws -> FileHandle { try FileHandle(forReadingFrom: folder.appending(path: "backup.sqlite")) }
}
