import Amalgam
import Foundation
import Hummingbird

/// The page of the administrator, and what programs ask for: health, metrics, a backup.
struct OperationPages: Sendable {
    let store: Store
    let metrics: ServiceMetrics
    let status: IndexStatus
    let pages: Pages
    let guards: Guards

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/health", use: health)
        router.get("/metrics", use: prometheus)
        router.get("/operations", use: operations)
        router.post("/operations/backup") { request, context in
            _ = try await guards.form(request, context)
            return try await backup()
        }
        router.post("/api/backup") { request, context in
            try guards.api(request, context)
            return try await backup()
        }
    }

    private func health(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let count = try await store.pool.read { db in try Document.fetchCount(db) }
        return try .json(HealthBody(status: "ok", documents: count, isIndexing: status.current.isIndexing))
    }

    private func prometheus(_ request: Request, _ context: ServiceContext) throws -> Response {
        try guards.requireEditor(context)
        return .text(metrics.text, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private func operations(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try guards.requireEditor(context)
        let view = OperationsView(
            store.pool.metrics, try await store.walReport(), store.pool.lastWALReport, metrics.live)
        return try pages.render("operations", title: "Operations", view, context)
    }

    private func backup() async throws -> Response {
        let backup = try await Backup.make(of: store)
        let date = Date.now.formatted(.iso8601.year().month().day())
        let body = ResponseBody(contentLength: backup.size) { writer in
            let file = try backup.open()
            defer { try? file.close() }
            while let part = try file.read(upToCount: 256 << 10), !part.isEmpty {
                try await writer.write(ByteBuffer(bytes: part))
            }
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [
            .contentType: "application/vnd.sqlite3",
            .contentDisposition: "attachment; filename=\"search-service-\(date).sqlite\"",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }
}

struct HealthBody: Codable {
    var status: String
    var documents: Int
    var isIndexing: Bool
}

extension Store {
    /// The state of the WAL file. It waits for writes, so it doesn't block a thread of the handlers.
    func walReport() async throws -> WALReport {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try pool.walReport() }) }
        }
    }
}
