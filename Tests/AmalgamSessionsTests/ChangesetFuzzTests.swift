import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Bytes from untrusted sources: the result is a value or an error.
@Suite struct ChangesetFuzzTests {
    /// Generates the same numbers in every run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    private static let schema = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, b, c TEXT UNIQUE, d REAL);
        CREATE TABLE w (k, l, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
        CREATE TABLE f (id INTEGER PRIMARY KEY, aId REFERENCES a ON DELETE CASCADE);
        INSERT INTO a VALUES (1, 'x', 'u', 1.5), (2, NULL, 'v', 2), (3, x'0102', 'w', -1);
        INSERT INTO w VALUES (1, 2, 3), ('a', x'00', NULL);
        INSERT INTO f VALUES (1, 1), (2, 2);
        """

    private static let changes = """
        UPDATE a SET b = 'a longer text than before', d = d + 1;
        INSERT INTO a VALUES (10, x'beef', 'q', 3.25), (11, -5, NULL, NULL);
        DELETE FROM a WHERE id = 3;
        UPDATE w SET v = 'vv';
        INSERT INTO w VALUES (7, 8, 9);
        DELETE FROM w WHERE k = 'a';
        UPDATE f SET aId = 10;
        """

    private func seeds(_ db: Database) throws -> (changeset: Changeset, patchset: Patchset, rebase: ConflictResolutions)
    {
        try db.execute(sql: Self.schema)
        let session = try db.makeSession()
        try db.execute(sql: Self.changes)
        let changeset = try session.changeset()
        let patchset = try session.patchset()
        try session.close()
        var rebase: ConflictResolutions?
        try db.inSavepoint {
            rebase = try db.apply(changeset) { $0.allowsReplacement ? .replace : .omit }.resolutions
            return .rollback
        }
        return (changeset, patchset, try #require(rebase))
    }

    private func mutate(_ data: Data, _ random: inout Generator) -> Data {
        var bytes = Array(data)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let index = Int.random(in: 0..<max(1, bytes.count), using: &random)
            if bytes.isEmpty { break }
            switch Int.random(in: 0..<8, using: &random) {
            case 0...1: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 3...5: bytes[index] = [0, 1, 2, 3, 4, 5, 9, 18, 23, 0x7f, 0x80, 0xff].randomElement(using: &random)!
            case 6: bytes.removeSubrange(index..<min(bytes.count, index + 3))
            default: if Bool.random(using: &random) { bytes.removeLast(bytes.count - index) }
            }
        }
        return Data(bytes)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func mutatedBytes(_ seed: UInt64) throws {
        var random = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var accepted = 0
        var refused = 0
        try withDatabase { db in
            let seeds = try seeds(db)
            for _ in 0..<1000 {
                do {
                    let changes = try Changeset(data: mutate(seeds.changeset.data, &random))
                    use(changes, seeds.changeset, seeds.rebase, db)
                    accepted += 1
                } catch {
                    refused += 1
                }
                if let patches = try? Patchset(data: mutate(seeds.patchset.data, &random)) {
                    _ = try? patches + seeds.patchset
                    tryOut(patches, db)
                }
                if let rebase = try? ConflictResolutions(data: mutate(seeds.rebase.data, &random)) {
                    _ = try? seeds.changeset.rebased(on: rebase)
                }
            }
            // The connection is usable.
            try db.execute(sql: "DELETE FROM f; DELETE FROM a")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM a") == 0)
        }
        #expect(accepted > 50)
        #expect(refused > 50)
    }

    /// Uses bytes that were accepted in all ways. Errors are allowed.
    private func use(_ changes: Changeset, _ other: Changeset, _ rebase: ConflictResolutions, _ db: Database) {
        _ = changes.description
        _ = try? changes.inverted()
        _ = try? changes + other
        _ = try? other + changes
        _ = try? changes.filtered { _ in true }
        _ = try? changes.rebased(on: rebase)
        if let group = try? Changegroup<Changeset>(schemaOf: db) {
            try? group.add(changes)
            _ = try? group.changes()
        }
        tryOut(changes, db)
    }

    private func tryOut(_ changes: some RecordedChanges, _ db: Database) {
        for options: ApplyOptions in [[], .ignoringNoOps, .withoutForeignKeyActions] {
            try? db.inSavepoint {
                try db.apply(changes, options: options) { conflict in
                    conflict.change == nil ? .omit : conflict.replaceOrOmit
                }
                return .rollback
            }
        }
    }

    /// Streams, which SQLite reads unchecked.
    @Test func mutatedStreams() throws {
        var random = Generator(state: 77)
        let nowhere = ChangesetOutput { _ in }
        try withDatabase { db in
            let seeds = try seeds(db)
            for index in 0..<1500 {
                let data = mutate(index % 2 == 0 ? seeds.changeset.data : seeds.patchset.data, &random)
                let input = ChangesetInput.data(data)
                try? Changeset.writeInverse(of: input, to: nowhere)
                try? Changeset.writeRebased(input, on: [seeds.rebase], to: nowhere)
                try? Changegroup<Changeset>().add(from: input)
                try? Changegroup<Patchset>(schemaOf: db).add(from: input)
                if let cursor = try? RecordedChangeCursor(input) { while (try? cursor.next()) != nil {} }
                try? db.inSavepoint {
                    try db.apply(from: input) { conflict in conflict.replaceOrOmit }
                    return .rollback
                }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM w") == 2)
        }
    }

    /// Every truncation is refused, unless it ends after a change.
    @Test func truncatedBytes() throws {
        try withDatabase { db in
            let changeset = try seeds(db).changeset
            for count in 0..<changeset.data.count {
                let data = changeset.data.prefix(count)
                guard let changes = try? Changeset(data: data) else { continue }
                #expect(try changes.lines.allSatisfy(Set(changeset.lines).contains))
                #expect(changes.data == data)
            }
        }
    }

    /// SQLite itself crashes if a changegroup with a schema receives a table that the schema lacks.
    @Test func unknownTableInAChangegroup() throws {
        try withDatabase { db in
            let changeset = try seeds(db).changeset
            try db.execute(sql: "DROP TABLE w")
            let group = try Changegroup<Changeset>(schemaOf: db)
            expectError(.SQLITE_SCHEMA, "no such table: main.w") { try group.add(changeset) }
            expectError(.SQLITE_SCHEMA, "no such table: main.w") { try group.add(from: .data(changeset.data)) }
            #expect(try group.changes().tableNames == ["a"])
        }
    }
}
