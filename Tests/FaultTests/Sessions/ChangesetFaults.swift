import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Changesets that are inverted, combined and streamed.
@Suite struct ChangesetFaults {
    @Test(arguments: Weather.memory)
    func transformations(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        try everyFault(of: weather) { attempt in
            try attempt.step {
                try attempt.note(changeset.inverted())
                try attempt.note(changeset.filtered { $0.operation != .insert })
                try attempt.note(changeset + changeset.inverted())
                attempt.note(try Changeset(data: changeset.data).data.count)
            }
        }
    }

    /// A change that can't be read causes an error, and never looks like the end.
    @Test(arguments: Weather.memory)
    func reading(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        try everyFault(of: weather) { attempt in
            try attempt.step {
                attempt.note(try changeset.changes().reduce(0) { count, _ in count + 1 })
                attempt.note(try changeset.count)
                attempt.note(try changeset.isEmpty)
                attempt.note(try changeset.first?.description ?? "none")
                attempt.note(try changeset.tableNames)
            }
        }
    }

    /// A cursor that has failed doesn't report its end later.
    @Test(arguments: Weather.memory)
    func failedCursor(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        try everyFault(of: weather) { attempt in
            let changes = try attempt.step { try changeset.changes() }
            try attempt.step {
                do {
                    while let change = try changes.next() { attempt.note(change) }
                } catch {
                    attempt.calmly { _ = #expect(throws: DatabaseError.self) { try changes.next() } }
                    throw error
                }
            }
        }
    }

    /// A description can't throw: it says that it is incomplete.
    @Test(arguments: Weather.memory)
    func description(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        let whole = changeset.description
        try everyFault(of: weather) { attempt in
            try attempt.step {
                let description = changeset.description
                if description == whole { return }
                let lines = description.split(separator: "\n")
                #expect(lines.last?.hasPrefix("… SQLite error 7") == true)
                #expect(whole.hasPrefix(lines.dropLast().joined(separator: "\n")))
                throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
        }
    }

    /// Rebasing as a whole and chunk by chunk.
    @Test(arguments: Weather.memory)
    func rebasing(weather: Weather) throws {
        let (changeset, resolutions) = try Changeset.resolvedInFaults()
        try everyFault(of: weather) { attempt in
            try attempt.step { try attempt.note(changeset.rebased(on: resolutions)) }
            try attempt.step {
                var rebased = Data()
                let output = ChangesetOutput { rebased.append(contentsOf: $0) }
                try Changeset.writeRebased(.pieces(changeset.data), on: [resolutions], to: output)
                try attempt.note(Changeset(data: rebased))
            }
        }
    }

    @Test(arguments: Weather.memory)
    func group(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let group = try Changegroup<Changeset>(schemaOf: db)
                try group.add(changeset)
                try group.add(changeset, where: { $0.operation == .update })
                try attempt.note(group.changes())
            }
        }
    }

    /// A changeset is read and written in small parts.
    @Test(arguments: Weather.memory)
    func streams(weather: Weather) throws {
        let changeset = try Changeset.inFaults()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.apply(from: .pieces(changeset.data)) { $0.replaceOrOmit }
            }
            try attempt.step {
                var inverse = Data()
                let output = ChangesetOutput { inverse.append(contentsOf: $0) }
                try Changeset.writeInverse(of: .pieces(changeset.data), to: output)
                let group = try Changegroup<Changeset>()
                try group.add(from: .pieces(inverse))
                try attempt.note(group.changes())
            }
            try attempt.step {
                let cursor = try RecordedChangeCursor(.pieces(changeset.data))
                attempt.note(try cursor.map(\.description).reduce(0) { count, _ in count + 1 })
            }
        }
    }

    @Test(arguments: Weather.memory)
    func sessionToStream(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            let session = try attempt.step { db in try db.makeSession() }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            try attempt.step { _ in
                var (changeset, patchset) = (Data(), Data())
                try session.writeChangeset(to: ChangesetOutput { changeset.append(contentsOf: $0) })
                try session.writePatchset(to: ChangesetOutput { patchset.append(contentsOf: $0) })
                attempt.note("\(changeset.count) \(patchset.count)")
            }
        }
    }
}

extension Changeset {
    /// Returns changes, and the resolutions of their conflicts with concurrent changes, for rebasing.
    static func resolvedInFaults() throws -> (Changeset, ConflictResolutions) {
        let changeset = try inFaults()
        return try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            try db.execute(
                sql: """
                    UPDATE player SET score = 11 WHERE id = 1;
                    INSERT INTO player VALUES (4, 'Dan of old', 0, 1);
                    """)
            return (changeset, try db.apply(changeset) { $0.replaceOrOmit }.resolutions)
        }
    }
}

extension ChangesetInput {
    static func pieces(_ data: Data) -> ChangesetInput {
        var rest = data
        return ChangesetInput {
            defer { rest = rest.dropFirst(40) }
            return rest.isEmpty ? nil : Data(rest.prefix(40))
        }
    }
}
