import Amalgam
@testable import AmalgamCore
import CAmalgam
import TestSupport
import Testing

struct AuthorizerTests {
    private func run(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            try test(db)
        }
    }

    @Test func anAuthorizerHearsWhatAStatementWouldDo() throws {
        try run { db in
            var actions: [String] = []
            try db.withAuthorizer { action in
                actions.append(action.description)
                return .allow
            } perform: {
                _ = try db.makeStatement(sql: "SELECT upper(name) FROM player WHERE id = 1")
            }
            #expect(actions == ["SELECT", "FUNCTION upper", "READ player.name", "READ player.id"])
        }
    }

    @Test func answers() throws {
        try run { db in
            let names = try db.withAuthorizer {
                $0.columnName == "name" ? .ignore : .allow
            } perform: {
                try String?.fetchAll(db, sql: "SELECT name FROM player")
            }
            #expect(names == [nil, nil, nil])
            try db.withAuthorizer {
                $0.kind == .delete ? .deny : .allow
            } perform: {
                expectError(.SQLITE_AUTH, "not authorized: DELETE player", sql: "DELETE FROM player") {
                    try db.execute(sql: "DELETE FROM player")
                }
                try db.execute(sql: "UPDATE player SET score = 0")
            }
        }
    }

    @Test func errorsComeOut() throws {
        try run { db in
            #expect(throws: Failure(number: 7)) {
                try db.withAuthorizer { _ in
                    throw Failure(number: 7)
                } perform: {
                    try db.execute(sql: "SELECT 1")
                }
            }
            #expect(throws: Failure(number: 8)) {
                try db.withAuthorizer { _ in
                    throw Failure(number: 8)
                } perform: {
                    try db.withAuthorizer { _ in
                        .allow
                    } perform: {
                        try db.execute(sql: "SELECT 1")
                    }
                }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    @Test func theConnectionCannotBeUsedByAnAuthorizer() throws {
        try run { db in
            expectError(
                .SQLITE_MISUSE, "the connection cannot be used here: SQLite is in the middle of a statement",
                sql: "SELECT 2"
            ) {
                try db.withAuthorizer { _ in
                    try db.execute(sql: "SELECT 2")
                    return .allow
                } perform: {
                    try db.execute(sql: "SELECT 1")
                }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    @Test func theStrictestAnswerWins() throws {
        try run { db in
            let answers: [AuthorizerDecision] = [.allow, .ignore, .deny]
            for (outer, outerAnswer) in answers.enumerated() {
                for (inner, innerAnswer) in answers.enumerated() {
                    let result: Result<String?, any Error> = Result {
                        try db.withAuthorizer {
                            $0.kind == .read ? outerAnswer : .allow
                        } perform: {
                            try db.withAuthorizer {
                                $0.kind == .read ? innerAnswer : .allow
                            } perform: {
                                try String.fetchOne(db, sql: "SELECT name FROM player WHERE rowid >= 0 OR 1")
                            }
                        }
                    }
                    switch max(outer, inner) {
                    case 0: try expectEqual(result.get(), "Anna")
                    case 1: try expectEqual(result.get(), nil)
                    default: expectCode(.SQLITE_AUTH) { try result.get() }
                    }
                }
            }
        }
    }

    @Test func accessors() throws {
        try run { db in
            try db.execute(sql: "CREATE VIEW card AS SELECT name FROM player")
            var accessors: [String?] = []
            func actions(_ sql: String) throws -> [String?] {
                accessors = []
                try db.withAuthorizer { action in
                    if action.tableName == "player" { accessors.append(action.accessorName) }
                    return .allow
                } perform: {
                    _ = try db.makeStatement(sql: sql)
                }
                return accessors
            }
            #expect(try actions("SELECT name FROM card") == ["card"])
            #expect(try actions("WITH x AS (SELECT name FROM player) SELECT name FROM x") == [nil])
        }
    }
}

struct ConnectionOptionTests {
    @Test func options() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            try db.execute(sql: "CREATE TRIGGER tr AFTER DELETE ON player BEGIN DELETE FROM team; END")
            #expect(try db.isEnabled(.triggers))
            try db.setEnabled(.triggers, false)
            #expect(try db.isEnabled(.triggers) == false)
            try db.execute(sql: "DELETE FROM player")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") == 2)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func defensiveMode(_ kind: DatabaseKind) throws {
        var configuration = Configuration()
        #expect(!configuration.isDefensive)
        #expect(configuration.trustsSchema)
        configuration.isDefensive = true
        try kind.run(configuration) { db in
            try db.createTeams()
            #expect(try db.isEnabled(.defensive))
            #expect(try db.isEnabled(.trustedSchema))
            try db.execute(sql: "PRAGMA writable_schema = ON")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM sqlite_master") }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func hardening(_ kind: DatabaseKind) throws {
        var configuration = Configuration()
        configuration.harden()
        try kind.open(configuration) { writer in
            let values = try writer.read { db in
                [
                    try db.isEnabled(.defensive), try !db.isEnabled(.trustedSchema),
                    try Bool.fetchOne(db, sql: "PRAGMA cell_size_check") == true,
                ]
            }
            #expect(values == [true, true, true])
            try writer.write { db in
                db.add(function: DatabaseFunction("plain") { 1 })
                try db.execute(sql: "CREATE VIEW v AS SELECT plain() AS a")
                expectError(.SQLITE_ERROR, "unsafe use of plain()", sql: "SELECT a FROM v") {
                    try db.execute(sql: "SELECT a FROM v")
                }
            }
        }
    }
}
