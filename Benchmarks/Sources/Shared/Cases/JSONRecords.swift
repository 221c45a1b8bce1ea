import Workload

/// 20,000 records with a property stored as JSON text, fetched as an array.
struct JSONRecords: Case {
    static let name = "json-records"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.persons())
    }

    func run() throws -> Int {
        try queue.read { db in try Person.fetchAll(db, sql: PERSONS_SELECT) }
            .reduce(0) { $0 &+ Int($1.id) &+ $1.info.checksum }
    }
}

private struct Person: Decodable, FetchableRecord {
    var id: Int64
    var info: PersonInfo
}

struct PersonInfo: Codable {
    struct Address: Codable {
        var street: String
        var city: String
        var position: [Double]
    }

    var name: String
    var email: String
    var score: Int
    var balance: Double
    var active: Bool
    var address: Address
    var tags: [String]
    var note: String?

    var checksum: Int {
        let texts = name.utf8.count + email.utf8.count + address.street.utf8.count + address.city.utf8.count
        let numbers = score + Int(balance * 4) + Int(address.position[0] * 4) + Int(address.position[1] * 2)
        return texts &+ numbers &+ (active ? 1 : 0) &+ tags.reduce(0) { $0 + $1.utf8.count } &+ (note == nil ? 0 : 1)
    }
}
