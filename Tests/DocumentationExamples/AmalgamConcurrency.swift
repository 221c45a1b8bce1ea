import Amalgam
import Foundation

nonisolated(unsafe) var reader: (any DatabaseReader)! = nil
nonisolated(unsafe) var writer: (any DatabaseWriter)! = nil
nonisolated(unsafe) var observer = PlayerObserver()

final class PlayerObserver: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

// The metrics of an application.
func gauge(_ name: String, _ value: some Sendable) {}
func counter(_ name: String, _ value: some Sendable) {}
