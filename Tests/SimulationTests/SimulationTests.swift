import ChildProcesses
import Foundation
import Simulation
import Testing

/// Random programs over all features, compared with a model: see `scripts/proof/simulate --help`.
///
/// The programs run in a process of their own, because SQLite's memory fails in some of their steps, and because a program
/// that hangs or crashes must not end the other tests.
@Suite(.serialized) struct SimulationTests {
    @Test func randomProgramsAgreeWithTheModel() throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["AMALGAM_SIMULATION_SECONDS"] ?? "60"
        let seed = environment["AMALGAM_SEED"] ?? "\(UInt32.random(in: 1...UInt32.max))"
        let seedFile = Self.newFile()
        defer { try? FileManager.default.removeItem(at: seedFile) }
        let (lines, end) = try run([
            "search", "--seconds", seconds, "--seed", seed, "--shrink-seconds", "30", "--last-seed", seedFile.path,
        ])
        let last = try? String(contentsOf: seedFile, encoding: .utf8)
        #expect(end == .exit(0), "at seed \(last ?? "none"): \(end)\n\(lines.joined(separator: "\n"))")
        #expect(lines.last?.hasSuffix("no failure") == true, "\(lines.suffix(1))")
    }

    @Test(arguments: CuredProgram.all) func curedProgramsAgreeWithTheModel(program: CuredProgram) throws {
        let (lines, end) = try replay(program.json)
        #expect(end == .exit(0), "\(end)\n\(lines.joined(separator: "\n"))")
        #expect(lines == ["simulate: no failure"])
    }

    private func replay(_ json: String) throws -> (lines: [String], end: ChildProcess.End) {
        let file = Self.newFile()
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(json.utf8).write(to: file)
        return try run(["replay", file.path])
    }

    private func run(_ arguments: [String]) throws -> (lines: [String], end: ChildProcess.End) {
        let process = try ChildProcess("amalgam-simulate", arguments)
        return (process.remainingLines(), process.wait())
    }

    private static func newFile() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-simulation-\(UUID().uuidString)")
    }

    /// Oracles complain about a change that the model doesn't know.
    @Test(arguments: [
        ("rows:", "INSERT INTO team (team, city) VALUES (2, 'b')"),
        ("rows:", "DELETE FROM bare"),
        ("audit", "DELETE FROM amalgam_audit_change"),
    ])
    func oraclesNoticeAnUnknownChange(oracle: String, sql: String) throws {
        let (lines, end) = try replay(Self.program(unmodelled: "SELECT 1"))
        #expect(end == .exit(0), "\(lines.joined(separator: "\n"))")
        let (complaint, failure) = try replay(Self.program(unmodelled: sql))
        #expect(failure == .exit(1))
        #expect(complaint.first?.contains(": \(oracle)") == true, "\(complaint.joined(separator: "\n"))")
    }

    /// A program that inserts two rows, and runs SQL that the model doesn't know.
    private static func program(unmodelled sql: String) -> String {
        func insertion(_ table: String, _ values: [String]) -> String {
            let list = values.map { #"{"text":{"_0":"\#($0)"}}"# }.joined(separator: ",")
            return """
                {"statement":{"_0":{"table":"\(table)","form":"literals","isReturning":false,\
                "change":{"insert":{"_0":[{"values":[\(list)]}]}}}}}
                """
        }
        return """
            {"options":{"isPool":true,"isSecondPool":false,"audited":["team"],"firesTriggers":true,"isWAL":true},\
            "steps":[{"write":{"_0":{"connection":0,"kind":"transaction","isRolledBack":false,\
            "parts":[\(insertion("team", ["1", "a"])),\(insertion("bare", ["a b", "a"]))]}}},\
            {"unmodelled":{"_0":"\(sql)"}}]}
            """
    }

    /// Shrinking leaves the step that makes a program fail, and nothing else.
    @Test func shrinkingFindsTheStepThatFails() throws {
        let program = try #require(
            (1...UInt64(20)).map { Program(seed: $0) }.first {
                $0.steps.contains { if case .undo = $0 { true } else { false } }
            })
        let shrunk = program.shrunk { candidate in
            candidate.steps.contains { if case .undo = $0 { true } else { false } }
        }
        #expect(shrunk.steps.count == 1)
    }

    @Test func aSeedAlwaysGivesTheSameProgram() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(Program(seed: 17)) == encoder.encode(Program(seed: 17)))
        #expect(try encoder.encode(Program(seed: 17)) != encoder.encode(Program(seed: 18)))
    }

    /// A program is stored and read without a change, so that a file of `replay` is the program that has failed.
    @Test func programsAreStoredAsText() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for seed in 1...UInt64(50) {
            let data = try encoder.encode(Program(seed: seed))
            #expect(try encoder.encode(JSONDecoder().decode(Program.self, from: data)) == data, "seed \(seed)")
        }
    }
}
