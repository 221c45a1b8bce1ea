import Amalgam
import Foundation

nonisolated(unsafe) var session: Session! = nil
nonisolated(unsafe) var changeset: Changeset! = nil
nonisolated(unsafe) var change: RecordedChange! = nil
nonisolated(unsafe) var conflict: ChangeConflict! = nil
nonisolated(unsafe) var group: Changegroup<Changeset>! = nil
nonisolated(unsafe) var application: ChangesetApplication! = nil
// Applied in sequence.
nonisolated(unsafe) var first: ChangesetApplication! = nil
nonisolated(unsafe) var second: ChangesetApplication! = nil
// Changesets of two databases.
nonisolated(unsafe) var local: Changeset! = nil
nonisolated(unsafe) var remote: Changeset! = nil
// Changesets of one database, in sequence.
nonisolated(unsafe) var monday: Changeset! = nil
nonisolated(unsafe) var tuesday: Changeset! = nil
nonisolated(unsafe) var days: [Changeset] = []
// Two databases with the same tables.
nonisolated(unsafe) var phone: DatabaseQueue! = nil
nonisolated(unsafe) var tablet: DatabaseQueue! = nil

let rebasedURL = url, undoURL = url
nonisolated(unsafe) var handle: FileHandle! = nil
nonisolated(unsafe) var socket: Socket! = nil
nonisolated(unsafe) var digest: Digest! = nil

/// A connection of the application to another device.
final class Socket {
    func receive() throws -> Data? { nil }
    func send(_ bytes: UnsafeRawBufferPointer) throws {}
}

/// A hash function with the interface of CryptoKit.
struct Digest {
    mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
}
