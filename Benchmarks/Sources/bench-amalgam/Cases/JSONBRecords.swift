import Foundation
import Workload

/// 20,000 records with a property stored as JSONB, fetched as an array.
struct JSONBRecords: Case {
    static let name = "jsonb-records"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(
            path: folder.fixture(PERSONS_BINARY_FILE, script: [PERSONS_TABLE, PERSONS_FILL, PERSONS_BINARY]))
    }

    func run() throws -> Int {
        try queue.read { db in try BinaryPerson.fetchAll(db, sql: PERSONS_SELECT) }
            .reduce(0) { $0 &+ Int($1.id) &+ $1.info.checksum }
    }
}

private struct BinaryPerson: Decodable, FetchableRecord {
    var id: Int64
    var info: PersonInfo

    static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
}
