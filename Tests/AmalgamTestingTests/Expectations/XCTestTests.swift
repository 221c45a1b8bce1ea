#if canImport(XCTest)
import Amalgam
import AmalgamTesting
import XCTest

/// The expectations in tests of XCTest, which reports the errors that they throw.
final class XCTestTests: XCTestCase {
    func testAPlanThatUsesTheIndex() throws {
        let plan = try makeTeams().read { db in try db.queryPlan(sql: "SELECT * FROM player WHERE name = 'Anna'") }
        try expectPlan(plan, usesIndex: "player_on_name")
    }

    func testAPlanThatScansTheTable() throws {
        let plan = try makeTeams().read { db in try db.queryPlan(sql: "SELECT * FROM player") }
        XCTAssertThrowsError(try expectPlan(plan, usesIndex: "player_on_name")) { error in
            XCTAssertEqual((error as? ExpectationFailed)?.location.line, #line - 1)
        }
    }
}
#endif
