import Amalgam
import Hummingbird
import ServiceInputs

/// Queries and the schema by the API.
struct QueryAPI: Sendable {
    let sandbox: QuerySandbox
    let store: Store

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/api/query", use: query)
        router.get("/api/schema") { _, _ in
            try Response.json(try await store.pool.read { db in try SchemaListing(db) })
        }
    }

    private func query(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let sql = request.fields["sql"] else {
            throw HTTPError(.badRequest, message: "The parameter sql is missing.")
        }
        do {
            return try .json(try await sandbox.run(sql))
        } catch let refusal as QueryRefusal {
            throw HTTPError(refusal.status, message: refusal.message)
        }
    }
}
