import Amalgam
import AmalgamTesting
import Foundation
// The names that the examples of AmalgamTesting use without declaring them. See Prelude.swift.

nonisolated(unsafe) var disk: FailingDisk! = nil
nonisolated(unsafe) var attempt: FailureAttempt! = nil
let recorder = SQLRecorder()
let plan: QueryPlan! = nil
let tester = MigrationTester(DatabaseMigrator())
// An application under test.
struct App {
    func addPlayer(named name: String) throws {}
    func addPlayer(named name: String) async throws {}
}
let app = App()
