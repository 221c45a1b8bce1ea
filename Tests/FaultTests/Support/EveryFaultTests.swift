import Amalgam
import CAmalgam
import CFaults
import Testing

/// `everyFault` detects the errors that it must detect.
@Suite struct EveryFaultTests {
    private let weather = Weather(place: .journal, fault: .allocation)

    private func mustComplain(_ scenario: (Attempt) throws -> Void) {
        withKnownIssue {
            try everyFault(of: weather, setUp: { try $0.createTeams() }, scenario)
        }
    }

    @Test func aSwallowedErrorWithAWrongResult() {
        mustComplain { attempt in
            try attempt.connect()
            try attempt.step { db in attempt.note((try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")) ?? -1) }
        }
    }

    @Test func anErrorOfAnotherKind() {
        struct Other: Error {}
        mustComplain { attempt in
            try attempt.connect()
            do {
                try attempt.step { db in try db.execute(sql: "DELETE FROM team") }
            } catch {
                throw Other()
            }
        }
    }

    @Test func aStepThatIsHalfDone() {
        mustComplain { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.execute(sql: "DELETE FROM player")
                try db.execute(sql: "DELETE FROM team")
            }
        }
    }

    @Test func aCommitThatIsLost() {
        var isRehearsal = true
        mustComplain { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM player")
                    return isRehearsal ? .commit : .rollback
                }
            }
            isRehearsal = false
        }
    }

    @Test func aTransactionLeftOpen() {
        var configuration = Configuration.inFaults
        configuration.allowsUnsafeTransactions = true
        mustComplain { attempt in
            try attempt.connect(configuration)
            try attempt.step { db in
                try db.beginTransaction()
                try db.execute(sql: "DELETE FROM player")
                try db.commit()
            }
        }
    }

    @Test func memoryThatIsLost() {
        var lost: [UnsafeMutableRawPointer?] = []
        defer { lost.forEach { sqlite3_free($0) } }
        mustComplain { attempt in
            try attempt.connect()
            try attempt.step { db in
                let memory = sqlite3_malloc64(100)
                lost.append(memory)
                try db.execute(sql: "DELETE FROM player")
                sqlite3_free(lost.removeLast())
            }
        }
    }

    /// Small allocations are visited, too: they don't come from a pool of the connection.
    @Test func connectionsHaveNoLookaside() throws {
        let faults = faults_create()
        let previous = faults_exchange(faults)
        defer {
            faults_exchange(previous)
            faults_free(faults)
        }
        try DatabaseQueue().inDatabase { db in
            var (current, highest): (CInt, CInt) = (-1, -1)
            sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_LOOKASIDE_HIT, &current, &highest, 0)
            #expect(highest == 0)
        }
        #expect(faults_live_allocations(faults) == 0)
        #expect(faults_memory_is_installed() == 1)
    }

    /// Nothing fails before an object is active, nor afterwards.
    @Test func faultsEndWithTheirObject() throws {
        let faults = faults_create()
        faults_plan(faults, UInt32.max, UInt32(FAULTS_ANY_FILE), 1, 1, 0, 0)
        let previous = faults_exchange(faults)
        #expect(throws: DatabaseError.self) { try DatabaseQueue() }
        faults_exchange(previous)
        let one = try DatabaseQueue().read { try Int.fetchOne($0, sql: "SELECT 1") }
        #expect(one == 1)
        faults_free(faults)
    }
}
