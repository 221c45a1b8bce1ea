import Foundation
import PowerPrograms

// Programs whose disk loses power. scripts/proof/power-loss runs it.

let usage = """
    usage: amalgam-power search COUNT SEED [PROFILE]
           amalgam-power replay PROFILE SEED [CRASHES]
           amalgam-power syncs PROFILE SEED [CRASHES]
           amalgam-power profiles

      search     runs random programs until COUNT crashes were checked, from a seed on, and shrinks the first failure
      replay     runs the program of a seed, checks CRASHES crashes of it (1000), and lets a program go on after a crash
      syncs      runs the program of a seed once for each of its syncs, which the disk ignores, and prints those whose loss
                 is noticed in CRASHES crashes (100)
      profiles   prints a profile for each setting

    A PROFILE is KIND-JOURNAL-SYNCHRONOUS-POLICY-PAGESIZE-ENCRYPTION-FILES, such as pool-wal-full-policy-4096-clear-two.
    The exit code is 1 if a promise is broken.

    """

func fail(_ message: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    exit(code)
}

/// Prints a line at once, also to a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// The crashes of one program.
let crashesPerProgram = 40

/// The crashes of the program that goes on after a crash.
let laterCrashesPerProgram = 5

/// Prints a smaller program that fails, and ends the process.
func report(_ failure: Search.Failure, in search: Search, seed: UInt64) throws -> Never {
    say("\namalgam-power: a promise is broken\n\(failure)")
    say("replay: amalgam-power replay \(failure.program.profile) \(seed)")
    // The steps of a program that goes on after a crash aren't all that it needs.
    if !failure.followsCrash {
        let smallest = try search.shrunk(failure, crashCount: 200, seed: seed)
        say("\nwith fewer steps:\n\(smallest)")
    }
    search.removeFiles()
    exit(1)
}

func searchPrograms(_ count: Int, _ firstSeed: UInt64, _ profile: Profile?) throws {
    let search = try Search()
    defer { search.removeFiles() }
    var seed = firstSeed
    var crashCount = 0
    var programsByProfile: [String: Int] = [:]
    while crashCount < count {
        var random = Random(seed: seed)
        let profile = profile ?? .random(&random)
        let program = Program(profile, seed: seed)
        let crashes = min(crashesPerProgram, count - crashCount)
        if let failure = try search.failure(of: program, crashCount: crashes, seed: seed) {
            try report(failure, in: search, seed: seed)
        }
        if let failure = try search.failureAfterCrash(of: program, seed: seed, crashCount: laterCrashesPerProgram) {
            try report(failure, in: search, seed: seed)
        }
        let thousands = crashCount / 1000
        crashCount += crashes + laterCrashesPerProgram
        if crashCount / 1000 > thousands { say("\(crashCount / 1000 * 1000) crashes") }
        programsByProfile[profile.setting.description, default: 0] += 1
        seed += 1
    }
    for (setting, count) in programsByProfile.sorted(by: { $0.key < $1.key }) { say("\(setting): \(count) programs") }
    let seeds = "seeds \(firstSeed) to \(seed - 1)"
    say("\(crashCount) crashes of \(seed - firstSeed) programs, \(seeds): no promise is broken")
}

func run(_ words: [String]) throws {
    switch words.first {
    case "search" where words.count == 3 || words.count == 4:
        guard let count = Int(words[1]), let seed = UInt64(words[2]) else { fail(usage, code: 2) }
        try searchPrograms(count, seed, words.count == 4 ? try profile(words[3]) : nil)
    case "replay" where words.count == 3 || words.count == 4:
        guard let seed = UInt64(words[2]) else { fail(usage, code: 2) }
        let program = Program(try profile(words[1]), seed: seed)
        let search = try Search()
        defer { search.removeFiles() }
        let count = words.count == 4 ? Int(words[3]) ?? 1000 : 1000
        if let failure = try search.failure(of: program, crashCount: count, seed: seed) {
            try report(failure, in: search, seed: seed)
        }
        if let failure = try search.failureAfterCrash(of: program, seed: seed, crashCount: laterCrashesPerProgram) {
            try report(failure, in: search, seed: seed)
        }
        say("\(count) crashes: no promise is broken")
    case "syncs" where words.count == 3 || words.count == 4:
        guard let seed = UInt64(words[2]) else { fail(usage, code: 2) }
        let search = try Search()
        defer { search.removeFiles() }
        let count = words.count == 4 ? Int(words[3]) ?? 100 : 100
        let (noticed, all) = try search.noticedSyncs(
            of: Program(try profile(words[1]), seed: seed), crashCount: count, seed: seed)
        say("the loss of \(noticed.count) of \(all) syncs is noticed: \(noticed)")
        if noticed.isEmpty { exit(1) }
    case "profiles" where words.count == 1:
        for setting in Setting.all { say("\(Profile(setting.journal == .wal ? .pool : .queue, setting))") }
    default: fail(usage, code: 2)
    }
}

func profile(_ description: String) throws -> Profile {
    guard let profile = Profile(description) else { fail(usage, code: 2) }
    return profile
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch {
    fail("amalgam-power: \(error)\n", code: 1)
}
