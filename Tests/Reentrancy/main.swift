import Foundation

// Experiments with callbacks of SQLite that use the connection which calls them. An experiment follows from a seed, or is
// written as text: see Experiment.swift.
//
// usage: amalgam-reentrancy search COUNT [FIRST]   runs seeds in child processes; prints failures, shrunk
//        amalgam-reentrancy run FIRST COUNT        runs seeds in this process, up to the first failure
//        amalgam-reentrancy replay TEXT            runs one experiment
//        amalgam-reentrancy show SEED              prints the text of an experiment

/// Ends the process when an experiment takes longer.
let secondsPerExperiment: UInt32 = 30

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Runs an experiment, and ends the process when it shows a defect.
func run(_ experiment: Experiment, _ laboratory: Laboratory) throws {
    alarm(secondsPerExperiment)
    let defects = try laboratory.run(experiment)
    alarm(0)
    if defects.isEmpty { return }
    defects.forEach(say)
    laboratory.remove()
    exit(1)
}

func number(_ index: Int, default value: UInt64? = nil) throws -> UInt64 {
    let arguments = CommandLine.arguments
    guard index < arguments.count else { return try value ?? { throw Experiment.BadText("a number is missing") }() }
    guard let number = UInt64(arguments[index]) else { throw Experiment.BadText(arguments[index]) }
    return number
}

func search() throws {
    let first = try number(3, default: 1)
    let failures = try Search().run(first..<(first + number(2)))
    failures.forEach { say("\($0)") }
    if !failures.isEmpty { exit(1) }
}

func runSeeds() throws {
    let laboratory = try Laboratory()
    let first = try number(2)
    for seed in first..<(first + (try number(3))) {
        say("seed \(seed)")
        try run(Experiment(seed: seed), laboratory)
    }
    laboratory.remove()
}

func replay() throws {
    let laboratory = try Laboratory()
    try run(Experiment(CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : ""), laboratory)
    laboratory.remove()
}

do {
    switch CommandLine.arguments.dropFirst().first {
    case "search": try search()
    case "run": try runSeeds()
    case "replay": try replay()
    case "replay-quietly":
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
        try replay()
    case "show": say("\(Experiment(seed: try number(2)))")
    default: throw Experiment.BadText(CommandLine.arguments.dropFirst().joined(separator: " "))
    }
} catch {
    FileHandle.standardError.write(Data("amalgam-reentrancy: \(error)\n".utf8))
    exit(2)
}
