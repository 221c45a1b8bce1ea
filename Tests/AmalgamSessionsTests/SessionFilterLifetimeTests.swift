import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Sessions with a table filter that are released while SQLite still needs the filter.
@Suite struct SessionFilterLifetimeTests {
    @Test func aFilterThatReleasesItsSession() throws {
        try withDatabase { db in
            try db.createPeople()
            var session: Session? = try Session(db)
            var calls = 0
            try session?.attach { _ in
                calls += 1
                session = nil
                return false
            }
            try db.execute(sql: "UPDATE person SET score = score + 1; UPDATE person SET score = score + 1")
            #expect(calls == 1)
            #expect(session == nil)
            #expect(try db.rows(of: "person") == ["1|Anna|12", "2|Bo|22", "3|Cleo|NULL"])
        }
    }

    @Test func aFilterThatReplacesItself() throws {
        try withDatabase { db in
            try db.createPeople()
            try db.execute(sql: "CREATE TABLE pet (id INTEGER PRIMARY KEY); INSERT INTO pet VALUES (1)")
            let session = try Session(db)
            var errors = 0
            try session.attach { _ in
                do {
                    try session.attach { _ in true }
                } catch {
                    errors += 1
                }
                return true
            }
            try db.execute(sql: "UPDATE person SET score = 1 WHERE id = 1; DELETE FROM pet")
            #expect(errors == 2)
            #expect(try session.changeset().lines == ["DELETE pet(1*)", "UPDATE person(1*, _, 10 -> 1)"])
        }
    }

    @Test func releasedOnAnotherThreadDuringTheAccess() throws {
        try withDatabase { db in
            try db.createPeople()
            let counter = CallCounter()
            let session = Shared<Session?>(try Session(db))
            try session.value?.attach { _ in
                counter.increment()
                return true
            }
            onAnotherThread { session.value = nil }
            try db.execute(sql: "UPDATE person SET score = 1")
            #expect(counter.value <= 1)
            #expect(try db.rows(of: "person") == ["1|Anna|1", "2|Bo|1", "3|Cleo|1"])
        }
    }
}
