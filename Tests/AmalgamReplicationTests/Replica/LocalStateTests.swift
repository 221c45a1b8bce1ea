#if Replication && (os(Linux) || os(macOS))
import Foundation
import TestSupport
import Testing

@testable import AmalgamReplication

/// The stored values of the owner's row.
@Suite(.limited) struct LocalStateTests {
    /// Calls a closure with the state of a database in a temporary folder.
    private func withState(_ body: (LocalState) throws -> Void) throws {
        let folder = Folder()
        let local = LocalState(database: folder.path("db.sqlite"))
        let lock = try local.lock()
        try body(local)
        withExtendedLifetime((folder, lock)) {}
    }

    @Test("an upload forgets earlier values, and no later one")
    func uploads() throws {
        try withState { local in
            #expect(local.owners == nil)
            try local.noteReplacement(of: "none", by: "A")
            #expect(local.owners == ["none", "A"])
            // The row is replaced while the upload runs.
            try local.noteReplacement(of: "A", by: "B")
            #expect(local.owners == ["none", "A", "B"])
            try local.noteUpload(of: "A")
            #expect(local.owners == ["A", "B"])
            try local.noteUpload(of: "B")
            #expect(local.owners == ["B"])
            try local.noteUpload(of: "B")
            #expect(local.owners == ["B"])
        }
    }

    @Test("the values of the last replacement come last")
    func replacements() throws {
        try withState { local in
            try local.noteReplacement(of: "A", by: "B")
            // The transaction was rolled back.
            try local.noteReplacement(of: "A", by: "C")
            #expect(local.owners == ["B", "A", "C"])
            try local.noteUpload(of: "A")
            #expect(local.owners == ["A", "C"])
            try local.noteReplacement(of: "C", by: "C")
            #expect(local.owners == ["A", "C"])
        }
    }

    @Test("the upload of an unknown value forgets nothing")
    func unknownValues() throws {
        try withState { local in
            try local.noteUpload(of: "A")
            #expect(local.owners == ["A"])
            try local.noteReplacement(of: "A", by: "B")
            try local.noteUpload(of: "C")
            #expect(local.owners == ["C", "A", "B"])
        }
    }
}
#endif
