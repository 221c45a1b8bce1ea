import Amalgam
import Synchronization
import Testing

/// The error log of SQLite, <https://sqlite.org/errlog.html>, which is global to the process.
struct DatabaseLogTests {
    @Test func aFunctionMadeByAnotherTaskReceivesWhatFails() async {
        await #expect(processExitsWith: .success) {
            let entries = Log()
            let made = Task.detached { () -> Database.LogErrorFunction in
                { code, message in entries.append("\(code.rawValue) \(message)") }
            }
            Database.logError = await made.value
            let queue = try DatabaseQueue()
            try await queue.write { db in
                _ = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT missing") }
            }
            #expect(entries.all == [#"1 no such column: missing in "SELECT missing""#])

            Database.logError = nil
            try await queue.write { db in
                _ = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT gone") }
            }
            #expect(entries.all.count == 1)
        }
    }
}

private final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    func append(_ entry: String) { entries.withLock { $0.append(entry) } }
}
