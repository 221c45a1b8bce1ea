import Amalgam
import AmalgamTesting
import Foundation
import Testing

struct ExpectationFailedTests {
    @Test("Swift Testing records the thrown error")
    func swiftTesting() throws {
        let plan = try makeTeams().read { db in try db.queryPlan(sql: "SELECT * FROM player") }
        try withKnownIssue {
            try expectPlan(plan, usesIndex: "player_on_name")
        } matching: { issue in
            issue.error is ExpectationFailed
        }
    }

    @Test("the location is the call of the expectation")
    func location() throws {
        let plan = try makeTeams().read { db in try db.queryPlan(sql: "SELECT * FROM player") }
        let line = #line + 1
        let failure = try #require(try failure { try expectPlan(plan, usesIndex: "player_on_name") })
        #expect(failure.location.line == line)
        #expect(failure.location.filePath == #filePath)
        #expect(failure.location.fileID == "AmalgamTestingTests/ExpectationFailedTests.swift")
        #expect(failure.description.hasPrefix("AmalgamTestingTests/ExpectationFailedTests.swift:\(line): The plan"))
        #expect(failure.localizedDescription == failure.description)
        // All that Swift Testing needs for a mark on the line.
        let location = failure.location
        let mark = SourceLocation(
            fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
        #expect(mark.line == line)
    }
}
