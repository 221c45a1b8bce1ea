import Amalgam

/// The type and journal mode of the database.
enum Kind: String {
    /// A rollback journal that is removed after each transaction.
    case journal
    /// A rollback journal that isn't removed.
    case persist
    case wal
    /// A pool whose commits reach the disk before they return.
    case fullPool
    case pool

    func open(_ path: String) throws -> any DatabaseWriter {
        var configuration = Configuration()
        switch self {
        case .journal, .pool: break
        case .persist: configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = PERSIST") }
        case .wal: configuration.journalMode = .wal
        case .fullPool: configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        }
        switch self {
        case .journal, .persist, .wal: return try DatabaseQueue(path: path, configuration: configuration)
        case .fullPool, .pool: return try DatabasePool(path: path, configuration: configuration)
        }
    }
}

/// Pseudorandom numbers that are reproducible by a seed: SplitMix64.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(limit))
    }
}
