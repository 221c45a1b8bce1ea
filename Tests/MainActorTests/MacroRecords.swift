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

@Embeddable
struct MacroPlace: Equatable {
    var street: String
    var city: String
}

@Record("visit")
struct MacroVisit: Equatable {
    @Key var id: Int64?
    @Embedded var place: MacroPlace
    @Embedded(prefix: "next_") var next: MacroPlace?
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

    @Test("a record with embedded types is written and read off the main actor")
    func embedded() async throws {
        let queue = try DatabaseQueue()
        let visits = try await queue.write { db in
            try db.execute(
                sql: "CREATE TABLE visit (id INTEGER PRIMARY KEY, street, city, next_street, next_city)")
            var visit = MacroVisit(place: MacroPlace(street: "Main", city: "Oslo"))
            try visit.insert(db)
            return try MacroVisit.filter { $0.place.city == "Oslo" && $0.next.city == nil }.fetchAll(db)
        }
        #expect(visits == [MacroVisit(id: 1, place: MacroPlace(street: "Main", city: "Oslo"))])
    }
}
#endif
