import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Changesets are written and read in chunks.
@Suite struct ChangesetStreamTests {
    /// Runs a test on a session with changes of some hundred kilobytes, and their changeset.
    private func withSession(_ test: (Database, Session, Changeset) throws -> Void) throws {
        try withDatabase { db in
            try db.createPeople()
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text)")
            let session = try db.makeSession()
            try db.execute(
                sql: """
                    UPDATE person SET score = score + 1;
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                    INSERT INTO note SELECT i, printf('%*c', i % 300, 'x') FROM n;
                    DELETE FROM person WHERE id = 3;
                    """)
            try test(db, session, session.changeset())
        }
    }

    /// Returns an input with chunks of these sizes, in turn.
    private func input(_ data: Data, chunks sizes: [Int]) -> ChangesetInput {
        var rest = data
        var turn = 0
        return ChangesetInput {
            let size = sizes[turn % sizes.count]
            turn += 1
            defer { rest = rest.dropFirst(size) }
            return rest.isEmpty ? nil : rest.prefix(size)
        }
    }

    private func collect(_ write: (ChangesetOutput) throws -> Void) throws -> Data {
        var data = Data()
        try write(ChangesetOutput { data.append(contentsOf: $0) })
        return data
    }

    @Test func writing() throws {
        try withSession { _, session, changeset in
            #expect(try collect { try session.writeChangeset(to: $0) } == changeset.data)
            #expect(try collect { try session.writePatchset(to: $0) } == session.patchset().data)
            #expect(try collect { try changeset.write(to: $0) } == changeset.data)
            let group = try Changegroup<Changeset>()
            try group.add(changeset)
            #expect(try collect { try group.write(to: $0) } == group.changes().data)
            var chunkCount = 0
            try session.writeChangeset(to: ChangesetOutput { _ in chunkCount += 1 })
            #expect(chunkCount > 10)
        }
    }

    @Test(arguments: [[1], [3, 1000], [7, 1, 5000], [1 << 20]])
    func reading(_ sizes: [Int]) throws {
        try withSession { db, session, changeset in
            let lines = try changeset.lines
            let cursor = try RecordedChangeCursor(input(changeset.data, chunks: sizes))
            var read: [String] = []
            while let change = try cursor.next() { read.append(change.description) }
            #expect(read.sorted() == lines)
            #expect(try cursor.next() == nil)
            let inverse = try collect {
                try Changeset.writeInverse(of: input(changeset.data, chunks: sizes), to: $0)
            }
            #expect(try Changeset(data: inverse).lines == changeset.inverted().lines)
            let group = try Changegroup<Changeset>()
            try group.add(from: input(changeset.data, chunks: sizes))
            #expect(try group.changes().lines == lines)
            let after = try db.rows(of: "note")
            try db.apply(from: input(inverse, chunks: sizes))
            #expect(try db.rows(of: "note") == [])
            #expect(try db.rows(of: "person") == ["1|Anna|10", "2|Bo|20", "3|Cleo|NULL"])
            try db.apply(from: input(session.patchset().data, chunks: sizes))
            try db.apply(from: input(changeset.data, chunks: sizes)) { $0.replaceOrOmit }
            #expect(try db.rows(of: "note") == after)
        }
    }

    @Test func files() throws {
        let folder = Folder()
        let url = folder.url.appendingPathComponent("changes")
        let undoURL = folder.url.appendingPathComponent("undo")
        try withSession { db, session, changeset in
            try session.writeChangeset(to: .file(url))
            #expect(try Data(contentsOf: url) == changeset.data)
            try Changeset.writeInverse(of: .file(url), to: .file(undoURL))
            try db.apply(from: .file(undoURL))
            #expect(try db.rows(of: "note") == [])
            // Again, replacing the existing file.
            try session.writeChangeset(to: .file(undoURL))
            #expect(try Data(contentsOf: undoURL).isEmpty)
            // An input can be read again.
            let input = ChangesetInput.file(url)
            for _ in 0..<2 {
                let cursor = try RecordedChangeCursor(input)
                #expect(try cursor.reduce(0) { count, _ in count + 1 } == changeset.count)
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["changes", "undo"])
        }
    }

    @Test func fileHandles() throws {
        let folder = Folder()
        let url = folder.url.appendingPathComponent("changes")
        try withSession { db, session, changeset in
            try Data("head".utf8).write(to: url)
            let writing = try FileHandle(forUpdating: url)
            try writing.seekToEnd()
            try session.writeChangeset(to: .fileHandle(writing))
            try writing.seek(toOffset: 4)
            let cursor = try RecordedChangeCursor(.fileHandle(writing))
            #expect(try cursor.reduce(0) { count, _ in count + 1 } == changeset.count)
            try writing.close()
            #expect(try Data(contentsOf: url).dropFirst(4) == changeset.data)
        }
    }

    @Test func errorsOfTheOutput() throws {
        let folder = Folder()
        let url = folder.url.appendingPathComponent("changes")
        try withSession { db, session, changeset in
            var count = 0
            let output = ChangesetOutput { _ in
                count += 1
                if count == 3 { throw Failure(number: count) }
            }
            #expect(throws: Failure(number: 3)) { try session.writeChangeset(to: output) }
            #expect(count == 3)
            let failing = ChangesetOutput { _ in throw Failure() }
            #expect(throws: Failure()) { try session.writePatchset(to: failing) }
            #expect(throws: Failure()) { try Changeset.writeInverse(of: .data(changeset.data), to: failing) }
            #expect(throws: Failure()) { try changeset.write(to: failing) }
            // The session is still usable.
            #expect(try session.changeset() == changeset)
            #expect(throws: (any Error).self) {
                try session.writeChangeset(to: .file(folder.url.appendingPathComponent("no/such/folder")))
            }
            // An existing file is unchanged.
            try Data("old".utf8).write(to: url)
            #expect(throws: DatabaseError.self) {
                try Changeset.writeInverse(of: .data(changeset.data.dropLast(3)), to: .file(url))
            }
            #expect(try Data(contentsOf: url) == Data("old".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["changes"])
        }
    }

    /// An input that throws at its fifth chunk.
    private func failingInput(_ data: Data) -> ChangesetInput {
        var count = 0
        return ChangesetInput {
            defer { count += 1 }
            if count == 4 { throw Failure(number: count) }
            return data.dropFirst(count * 5000).prefix(5000)
        }
    }

    @Test func errorsOfTheInput() throws {
        try withSession { db, _, changeset in
            let before = try db.rows(of: "note")
            let inverse = try changeset.inverted().data
            let failure = Failure(number: 4)
            #expect(throws: failure) { try db.apply(from: failingInput(inverse)) }
            #expect(throws: failure) { try Changegroup<Changeset>().add(from: failingInput(inverse)) }
            #expect(throws: failure) {
                try Changeset.writeInverse(of: failingInput(inverse), to: ChangesetOutput { _ in })
            }
            #expect(throws: (any Error).self) { try db.apply(from: .file(URL(fileURLWithPath: "/no/such/file"))) }
            // All changes are undone.
            let after = try db.rows(of: "note")
            #expect(after == before)
        }
    }

    @Test func errorOfACursor() throws {
        try withSession { _, _, changeset in
            let cursor = try RecordedChangeCursor(failingInput(changeset.data))
            #expect(throws: Failure(number: 4)) { while try cursor.next() != nil {} }
            #expect(throws: Failure(number: 4)) { try cursor.next() }
        }
    }

    @Test func malformedInput() throws {
        try withSession { db, session, changeset in
            let before = try db.rows(of: "note")
            let inverse = try changeset.inverted().data
            let patchset = try session.patchset().data
            expectError(.SQLITE_CORRUPT, "malformed changeset") { try db.apply(from: .data(inverse.dropLast())) }
            expectError(.SQLITE_MISMATCH, "this is a changeset, and not a patchset") {
                try Changegroup<Patchset>().add(from: .data(inverse))
            }
            expectError(.SQLITE_MISMATCH, "this is a patchset, and not a changeset") {
                try Changeset.writeInverse(of: .data(patchset), to: ChangesetOutput { _ in })
            }
            expectError(.SQLITE_CORRUPT, "malformed changeset") {
                try db.apply(from: .data(patchset), options: .inverted)
            }
            let after = try db.rows(of: "note")
            #expect(after == before)
        }
    }

    @Test func empty() throws {
        try withDatabase { db in
            try db.apply(from: ChangesetInput { nil })
            try db.apply(from: .data(Data()))
            #expect(try collect { try Changeset.writeInverse(of: .data(Data()), to: $0) } == Data())
            let cursor = try RecordedChangeCursor(ChangesetInput { Data() })
            #expect(try cursor.next() == nil)
        }
    }
}
