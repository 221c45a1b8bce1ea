import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Changesets that are inverted, put together and streamed.
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

    /// A changeset that comes and goes in small pieces.
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

extension ChangesetInput {
    fileprivate static func pieces(_ data: Data) -> ChangesetInput {
        var rest = data
        return ChangesetInput {
            defer { rest = rest.dropFirst(40) }
            return rest.isEmpty ? nil : Data(rest.prefix(40))
        }
    }
}
