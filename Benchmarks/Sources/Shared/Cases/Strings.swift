import Workload

/// 200,000 strings fetched as an array, which is then measured and released.
struct Strings: Case {
    static let name = "strings"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.strings())
    }

    func run() throws -> Int {
        let strings = try queue.read { db in try String.fetchAll(db, sql: STRINGS_SELECT) }
        var bytes = 0
        for string in strings { bytes &+= string.utf8.count }
        return bytes
    }
}
