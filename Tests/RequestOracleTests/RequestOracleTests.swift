import ChildProcesses
import Foundation
import Testing

/// Generated requests fetch the rows that an evaluator in plain Swift computes, and that the system's SQLite returns.
///
/// `amalgam-requests` makes, runs and shrinks the requests: see Tests/RequestOracle. `scripts/proof/requests` tries
/// 100,000 seeds.
@Suite(.serialized) struct RequestOracleTests {
    /// The number of seeds can be set for longer searches.
    private static let count = ProcessInfo.processInfo.environment["AMALGAM_REQUEST_SEEDS"] ?? "40"

    /// A difference is printed with its seed, and as a short Swift program. The search fails if it has compared no rows
    /// of a kind of request.
    @Test func requestsOfManySeeds() throws {
        let seed = ProcessInfo.processInfo.environment["AMALGAM_REQUEST_SEED"] ?? "1"
        let (lines, end) = try run(["search", Self.count, seed, "--kinds"])
        #expect(end == .exit(0), "\(lines.joined(separator: "\n"))")
        let summary = try #require(lines.last)
        #expect(summary.hasPrefix("requests: \(Self.count) seeds"), "\(summary)")
        #expect(!lines.contains { $0.hasPrefix("never compared") })
    }

    /// A kind of request of which no rows were compared fails the search.
    @Test func anEmptyCountFails() throws {
        let (lines, end) = try run(["search", "0", "1", "--kinds"])
        #expect(end == .exit(1))
        #expect(lines.contains("never compared: compound request"))
    }

    /// An evaluator with a mistake has other rows.
    @Test(arguments: ["null", "collation", "affinity", "join", "window", "compound"])
    func aMistakeIsFound(mistake: String) throws {
        let (lines, end) = try run(["search", "200", "1", "--brief", "--mistake", mistake])
        #expect(end == .exit(1), "\(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.hasPrefix("seed ") })
    }

    /// A difference is shrunk to a program of some lines.
    @Test func aDifferenceIsShrunk() throws {
        let (lines, end) = try run(["search", "200", "1", "--mistake", "null"])
        #expect(end == .exit(1))
        let start = try #require(lines.firstIndex(of: "import Amalgam"))
        let length = try #require(lines[start...].firstIndex(of: "}")) - start
        #expect(length < 25, "\(lines.joined(separator: "\n"))")
    }

    /// A seed makes the same requests on each machine, so that a difference can be repeated.
    @Test func aSeedStandsForTheSameRequests() throws {
        let first = try run(["show", "17"])
        #expect(first.lines.count(where: { $0 == "import Amalgam" }) == 8)
        try #expect(run(["show", "17"]).lines == first.lines)
    }

    @Test func unknownArgumentsAreRefused() throws {
        let (_, end) = try run(["search", "many"])
        #expect(end == .exit(2))
    }

    private func run(_ arguments: [String]) throws -> (lines: [String], end: ChildProcess.End) {
        let process = try ChildProcess("amalgam-requests", arguments)
        return (process.remainingLines(), process.wait())
    }
}
