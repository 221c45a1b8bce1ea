import Amalgam

/// ``InsertBeside100`` beside 1,000 observations. The peer could do it, too: in some twelve seconds for each of many runs.
struct InsertBeside1000: Case {
    static let name = "insert-beside-1000"

    private var insert: InsertBeside

    init(folder: Folder) throws { insert = try InsertBeside(folder, count: 1000) }
    mutating func reset() throws { try insert.reset() }
    func run() throws -> Int { try insert.run() }
    func checksum(of result: Int) throws -> Int { try insert.checksum(of: result) }
}
