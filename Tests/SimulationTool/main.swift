import Foundation
import Simulation

// A program that searches for failures of Amalgam by random programs, and repeats them.
//
// usage: amalgam-simulate search --seconds N --seed S [--coverage] [--demands-coverage] [--shrink-seconds N]
//        amalgam-simulate survey --seconds N --seed S     (all failures, in short)
//        amalgam-simulate seed S [--shrink-seconds N]
//        amalgam-simulate replay FILE
//        amalgam-simulate serve PATH OPTIONS              (a second process of a program)
//
// --last-seed FILE   writes the seed of each program to a file before it runs, for a program that crashes or hangs

func fail(_ message: String, _ code: CInt) -> Never {
    FileHandle.standardError.write(Data("amalgam-simulate: \(message)\n".utf8))
    exit(code)
}

let arguments = Array(CommandLine.arguments.dropFirst())

func option(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
}

/// The time in seconds after which an awaited value counts as lost.
let patience = ProcessInfo.processInfo.environment["AMALGAM_PATIENCE"].flatMap(Double.init) ?? 60
let seedFile = option("--last-seed")

/// Notes the seed of the next program. A program that hangs ends the process by SIGALRM.
func willRun(_ seed: UInt64?) {
    if let seed, let seedFile {
        _ = FileManager.default.createFile(atPath: seedFile, contents: Data("\(seed)".utf8))
    }
    alarm(UInt32(max(600, 10 * patience)))
}

func report(_ failure: Search.Failure?) {
    guard let failure else { return }
    print(failure.text)
}

var search = Search(
    shrinkSeconds: option("--shrink-seconds").flatMap(Double.init) ?? 300, patience: patience, willRun: willRun)
let start = Date.now
switch arguments.first {
case "search":
    guard let seconds = option("--seconds").flatMap(Double.init), let seed = option("--seed").flatMap(UInt64.init)
    else {
        fail("search wants --seconds and --seed", 2)
    }
    let failure = search.run(from: seed, seconds: seconds)
    report(failure)
    if arguments.contains("--coverage") { print(search.coverage.text) }
    let gaps = arguments.contains("--demands-coverage") && failure == nil ? search.coverage.gaps : []
    for gap in gaps { print("never covered: \(gap)") }
    let time = Int(Date.now.timeIntervalSince(start))
    let result = failure.map { "seed \($0.seed) fails" } ?? (gaps.isEmpty ? "no failure" : "\(gaps.count) gaps")
    print("simulate: \(search.programs) programs from seed \(seed) in \(time) s: \(result)")
    exit(failure == nil && gaps.isEmpty ? 0 : 1)
case "seed":
    guard arguments.count >= 2, let seed = UInt64(arguments[1]) else { fail("seed wants a number", 2) }
    let failure = search.run(seed: seed)
    report(failure)
    print("simulate: seed \(seed): \(failure == nil ? "no failure" : "fails")")
    exit(failure == nil ? 0 : 1)
case "survey":
    guard let seconds = option("--seconds").flatMap(Double.init), let seed = option("--seed").flatMap(UInt64.init)
    else {
        fail("survey wants --seconds and --seed", 2)
    }
    var (next, failures) = (seed, 0)
    while Date.now.timeIntervalSince(start) < seconds {
        if let complaint = search.run(Program(seed: next)) {
            failures += 1
            print("seed \(next): \(complaint)")
        }
        next &+= 1
    }
    print("simulate: \(search.programs) programs from seed \(seed): \(failures) failures")
    exit(failures == 0 ? 0 : 1)
case "replay":
    guard arguments.count == 2, let data = FileManager.default.contents(atPath: arguments[1]),
        let program = try? JSONDecoder().decode(Program.self, from: data)
    else { fail("replay wants a file with a program", 2) }
    let complaint = search.run(program)
    print("simulate: \(complaint ?? "no failure")")
    exit(complaint == nil ? 0 : 1)
case "serve":
    guard arguments.count == 3 else { fail("serve wants a path and options", 2) }
    do {
        try serve(arguments[1], arguments[2])
    } catch {
        fail("\(error)", 1)
    }
default: fail("usage: amalgam-simulate search|seed|survey|replay|serve", 2)
}
