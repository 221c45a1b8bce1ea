#if Macros
import Amalgam
import TestSupport
import Testing

class NotedObject {
    var note = "n"
    private let lock = 0
}

class Marked: NotedObject {
    var mark: Int? = 5
}

@Record("game")
final class InheritingGame: Marked {
    @Key var id: Int64?
    var name: String

    init(name: String) { self.name = name }
}

protocol Played: AnyObject {}

@Record("game")
final class PlayedGame: Played, @unchecked Sendable {
    @Key var id: Int64?
    var name: String

    init(name: String) { self.name = name }
}

@Suite("Properties of superclasses")
struct InheritedPropertyTests {
    /// The message of the error that a write throws.
    private func message(_ db: Database, _ write: (InheritingGame, Database) throws -> Void) -> String? {
        let game = InheritingGame(name: "Go")
        game.id = 1
        do {
            try write(game, db)
            return nil
        } catch {
            return (error as? DatabaseError)?.message
        }
    }

    @Test("a column that only a superclass has a property for: the record isn't written, because a value would be lost")
    func inheritedColumns() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE game (id INTEGER PRIMARY KEY, name TEXT, NOTE TEXT)")
            let expected = """
                the column "NOTE" of table game isn't written: 'note' is a property of the superclass NotedObject, which \
                '@Record' doesn't see. Declare it in the record
                """
            expectEqual(message(db) { try $0.insert($1) }, expected)
            expectEqual(message(db) { try $0.update($1) }, expected)
            try db.execute(sql: "ALTER TABLE game RENAME COLUMN NOTE TO mark")
            expectEqual(
                message(db) { try $0.save($1) }?.contains("'mark' is a property of the superclass Marked"), true)
            expectEqual(message(db) { try $0.upsert($1) }?.contains("'mark'"), true)
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM game"), 0)
            try db.execute(sql: "ALTER TABLE game RENAME COLUMN mark TO other")
            expectEqual(message(db) { try $0.insert($1) }, nil)
        }
    }

    @Test("properties of a superclass without columns are ignored")
    func inheritedProperties() throws {
        let table = "id INTEGER PRIMARY KEY, name TEXT"
        expectEqual(try roundTrip(InheritingGame(name: "Go"), columns: table).note, "n")
        expectEqual(try roundTrip(PlayedGame(name: "Go"), columns: table).name, "Go")
    }
}
#endif
