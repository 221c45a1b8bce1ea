import Foundation

// Scenarios with callbacks of SQLite that use the connection which calls them. A scenario is derived from a seed, or
// parsed from text: see Scenario.swift.
//
// usage: amalgam-reentrancy search COUNT [FIRST]   runs seeds in child processes; prints failures, shrunk
//        amalgam-reentrancy run FIRST COUNT        runs seeds in this process, up to the first failure
//        amalgam-reentrancy replay TEXT            runs one scenario
//        amalgam-reentrancy show SEED              prints the text of a scenario

/// Ends the process when a scenario takes longer.
let secondsPerScenario: UInt32 = 30

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Runs a scenario, and ends the process when it shows a defect.
func run(_ scenario: Scenario, _ runner: ScenarioRunner) throws {
    alarm(secondsPerScenario)
    let defects = try runner.run(scenario)
    alarm(0)
    if defects.isEmpty { return }
    defects.forEach(say)
    runner.remove()
    exit(1)
}

func number(_ index: Int, default value: UInt64? = nil) throws -> UInt64 {
    let arguments = CommandLine.arguments
    guard index < arguments.count else { return try value ?? { throw Scenario.InvalidText("a number is missing") }() }
    guard let number = UInt64(arguments[index]) else { throw Scenario.InvalidText(arguments[index]) }
    return number
}

func search() throws {
    let first = try number(3, default: 1)
    let failures = try FailureSearch().run(first..<(first + number(2)))
    failures.forEach { say("\($0)") }
    if !failures.isEmpty { exit(1) }
}

func runSeeds() throws {
    let runner = try ScenarioRunner()
    let first = try number(2)
    for seed in first..<(first + (try number(3))) {
        say("seed \(seed)")
        try run(Scenario(seed: seed), runner)
    }
    runner.remove()
}

func replay() throws {
    let runner = try ScenarioRunner()
    try run(Scenario(CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : ""), runner)
    runner.remove()
}

do {
    switch CommandLine.arguments.dropFirst().first {
    case "search": try search()
    case "run": try runSeeds()
    case "replay": try replay()
    case "replay-quietly":
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
        try replay()
    case "show": say("\(Scenario(seed: try number(2)))")
    default: throw Scenario.InvalidText(CommandLine.arguments.dropFirst().joined(separator: " "))
    }
} catch {
    FileHandle.standardError.write(Data("amalgam-reentrancy: \(error)\n".utf8))
    exit(2)
}
