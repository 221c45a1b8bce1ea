import Foundation

// Generates requests of the query interface, and compares their rows with those of an evaluator in plain Swift and
// those of the system's SQLite. scripts/proof/requests runs it.
//
// usage: amalgam-requests search COUNT SEED [OPTION…]   the requests of COUNT seeds, from SEED
//        amalgam-requests replay SEED                   one seed
//        amalgam-requests show SEED                     the requests of a seed, as Swift programs
//
// --coverage       prints how often each oracle compared requests with each feature, and fails for an empty count
// --kinds          prints how often requests of each kind were compared, and fails for an empty count
// --brief          prints the seeds of differences, and no programs
// --last-seed FILE writes each seed to a file before its requests run, for a program that crashes
// --mistake NAME   lets the evaluator make a mistake, which the search must find: see Mistake

func fail(_ message: String, code: CInt) -> Never {
    FileHandle.standardError.write(Data("amalgam-requests: \(message)\n".utf8))
    exit(code)
}

let usage = """
    usage: amalgam-requests search COUNT SEED [--coverage] [--kinds] [--brief] [--last-seed FILE] [--mistake NAME]
           amalgam-requests replay SEED
           amalgam-requests show SEED
    """
var arguments = Array(CommandLine.arguments.dropFirst())
if Mistake.current != nil, let index = arguments.firstIndex(of: "--mistake") {
    arguments.removeSubrange(index...index + 1)
}
var seedFile: String?
if let index = arguments.firstIndex(of: "--last-seed"), index + 1 < arguments.count {
    seedFile = arguments[index + 1]
    arguments.removeSubrange(index...index + 1)
}
let options = Set(arguments.filter { ["--coverage", "--kinds", "--brief"].contains($0) })
arguments.removeAll { options.contains($0) }
let numbers = arguments.dropFirst().map { UInt64($0) }
guard !numbers.contains(nil) else { fail(usage, code: 2) }
do {
    switch (arguments.first, numbers.count) {
    case ("search", 2):
        let report = try Report(seeds: numbers[1]!..<numbers[1]! + numbers[0]!, seedFile: seedFile)
        let (showsKinds, showsCoverage) = (options.contains("--kinds"), options.contains("--coverage"))
        report.printDifferences(limit: Mistake.current == nil ? 3 : 1, isBrief: options.contains("--brief"))
        if showsKinds { report.printKinds() }
        if showsCoverage { report.printCoverage() }
        report.printSummary()
        exit(report.isClean(requiresKinds: showsKinds, requiresCoverage: showsCoverage) ? 0 : 1)
    case ("replay", 1):
        let report = try Report(seeds: numbers[0]!..<numbers[0]! + 1)
        report.printDifferences(limit: 8)
        report.printSummary()
        exit(report.isClean(requiresKinds: false, requiresCoverage: false) ? 0 : 1)
    case ("show", 1):
        for query in Case.all(seed: numbers[0]!) { print(SwiftProgram(query)) }
    default: fail(usage, code: 2)
    }
} catch {
    fail("\(error)", code: 3)
}
