import Amalgam
import CAmalgam
import CFaults
import Testing

/// A kind of failure: the operations that fail, and their error.
struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let operations: UInt32
    /// The result code of the operations; 0 for the usual one of each.
    var code: CInt = 0
    /// Whether failing writes leave half of their bytes, and failing reads return half of theirs.
    var tears = false
    /// Whether all operations fail from the n-th one on, or only that one.
    var persists = false
    /// The acceptable errors, by their primary codes.
    let errors: Set<ResultCode>
    /// The distance between visited points.
    var stride = 1

    var testDescription: String { name }

    var isMemory: Bool { operations == UInt32(FAULTS_ALLOCATION) }

    func persisting(stride: Int = 1) -> Fault {
        var fault = Fault(name: name + ", and all that follow", operations: operations, errors: errors)
        fault.code = code
        fault.tears = tears
        fault.persists = true
        fault.stride = stride
        return fault
    }
}

extension Fault {
    static let allocation = Fault(
        name: "an allocation", operations: UInt32(FAULTS_ALLOCATION), errors: [.SQLITE_NOMEM, .SQLITE_IOERR])

    static let allocations = allocation.persisting(stride: 3)

    /// Operations on files, which fail with the codes of SQLite's own VFS.
    static let io = Fault(
        name: "an operation on a file", operations: UInt32.max & ~UInt32(FAULTS_ALLOCATION),
        errors: [.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_PROTOCOL])

    static let full = Fault(
        name: "a write to a full disk", operations: UInt32(FAULTS_WRITE), code: SQLITE_FULL,
        errors: [.SQLITE_FULL])

    static let tornWrite = Fault(
        name: "a write after half of its bytes", operations: UInt32(FAULTS_WRITE), tears: true,
        errors: [.SQLITE_IOERR])

    static let tornRead = Fault(
        name: "a read after half of its bytes", operations: UInt32(FAULTS_READ), tears: true,
        errors: [.SQLITE_IOERR])

    static let busy = Fault(
        name: "a lock held elsewhere", operations: UInt32(FAULTS_LOCK | FAULTS_SHM_LOCK),
        code: SQLITE_BUSY, errors: [.SQLITE_BUSY, .SQLITE_PROTOCOL])

    static let ofFiles = [io, io.persisting(), full, full.persisting(), tornWrite, tornRead, busy, busy.persisting()]
}

/// The location of the database under test, and the type of its connections.
enum Place: String, Sendable, CaseIterable {
    /// A queue in memory.
    case memory
    /// A queue on a file with a rollback journal.
    case journal
    /// A queue on a file in WAL mode.
    case wal
    /// A pool.
    case pool

    var isFile: Bool { self != .memory }
}

/// A kind of failure and a location: the argument of a fault test.
struct Weather: Sendable, CustomTestStringConvertible {
    let place: Place
    let fault: Fault

    var testDescription: String { "\(place.rawValue): \(fault.name)" }

    /// Failures of memory and files.
    static let all = allocations() + files([.journal, .wal, .pool])

    /// For scenarios that don't depend on the location of the database.
    static let memory = allocations([.memory])

    static func allocations(_ places: [Place] = [.memory, .journal, .pool]) -> [Weather] {
        cases(places, [.allocation, .allocations])
    }

    static func files(_ places: [Place]) -> [Weather] { cases(places, Fault.ofFiles) }

    private static func cases(_ places: [Place], _ faults: [Fault]) -> [Weather] {
        places.flatMap { place in faults.map { Weather(place: place, fault: $0) } }
    }
}
