#if Macros
import Amalgam
import Testing

// In this module, types are isolated to the main actor unless they say otherwise.

@Record("task")
struct MacroTask: Equatable {
    @Key var id: Int64?
    var title: String
    var isDone: Bool = false
}

@Suite("Records that macros have written, in a module of the main actor")
struct MacroRecordTests {
    @Test("a record is written and read off the main actor")
    func offTheMainActor() async throws {
        let queue = try DatabaseQueue()
        let tasks = try await queue.write { db in
            try db.execute(
                sql: "CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT NOT NULL, isDone BOOLEAN NOT NULL)")
            var task = MacroTask(title: "Write")
            try task.insert(db)
            return try MacroTask.fetchAll(db)
        }
        #expect(tasks == [MacroTask(id: 1, title: "Write")])
        let count = try await queue.read { db in try MacroTask.filter { $0.title == "Write" }.fetchCount(db) }
        #expect(count == 1)
    }
}
#endif
