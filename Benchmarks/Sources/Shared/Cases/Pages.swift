import Workload

// 2,000 reads of a page of 100 rows, three columns each, as for a list on a screen or a response of a server.

struct PagesQueue: Case {
    static let name = "pages-queue"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        var sum = 0
        for page in 0..<Int(INTEGERS_PAGES) { sum &+= try queue.read { db in try db.sumOfPage(page) } }
        return sum
    }
}

struct PagesPool: Case {
    static let name = "pages-pool"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try DatabasePool(path: folder.integersInWAL())
    }

    func run() throws -> Int {
        var sum = 0
        for page in 0..<Int(INTEGERS_PAGES) { sum &+= try pool.read { db in try db.sumOfPage(page) } }
        return sum
    }
}

/// The same by a task.
struct AsyncPagesQueue: Case {
    static let name = "async-pages-queue"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try inTask { [queue] in try await queue.sumOfPages() }
    }
}

/// The same by a task.
struct AsyncPagesPool: Case {
    static let name = "async-pages-pool"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try DatabasePool(path: folder.integersInWAL())
    }

    func run() throws -> Int {
        try inTask { [pool] in try await pool.sumOfPages() }
    }
}

extension DatabaseReader {
    /// Reads all pages, each in a separate access.
    func sumOfPages() async throws -> Int {
        var sum = 0
        for page in 0..<Int(INTEGERS_PAGES) { sum &+= try await read { db in try db.sumOfPage(page) } }
        return sum
    }
}

extension Database {
    func sumOfPage(_ page: Int) throws -> Int {
        var sum = 0
        let first = page * Int(INTEGERS_PAGE_SIZE)
        for row in try Row.fetchAll(self, sql: INTEGERS_SELECT_PAGE, arguments: [first]) {
            sum &+= row[0] as Int
            sum &+= row[1] as Int
            sum &+= row[2] as Int
        }
        return sum
    }
}
