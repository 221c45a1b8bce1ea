import Amalgam
import Foundation
// The names that the examples of AmalgamCore use without declaring them. See Prelude.swift.

struct Celsius: DatabaseValueConvertible {
    var degrees: Double
    var databaseValue: DatabaseValue { degrees.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Celsius? {
        Double.fromDatabaseValue(dbValue).map(Celsius.init(degrees:))
    }
}
struct Score: DatabaseValueConvertible {
    var points: Int
    var databaseValue: DatabaseValue { points.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Score? {
        Int.fromDatabaseValue(dbValue).map(Score.init(points:))
    }
}
final class Audit: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
struct ViewKeys: DatabaseSchemaSource {}
struct DefaultKeys: DatabaseSchemaSource {}
let byLength = DatabaseCollation("byLength") { $0.count < $1.count ? .orderedAscending : .orderedSame }
nonisolated(unsafe) var counter = Audit()
nonisolated(unsafe) var events: [DatabasePreUpdateEvent] = []
nonisolated(unsafe) var hasChanges = false
nonisolated(unsafe) var region = DatabaseRegion()
func sqlite3_words_init(
    _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ api: UnsafeRawPointer?
) -> CInt { 0 }
