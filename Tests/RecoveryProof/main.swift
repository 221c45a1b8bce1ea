import Amalgam
import Foundation

// A program for scripts/proof/recovery: makes sample files, and recovers damaged ones.
//
// usage: amalgam-recover make FOLDER COUNT SEED
//        amalgam-recover recover DAMAGED NEW [PASSPHRASE]
//        amalgam-recover decrypt ENCRYPTED CLEAR PASSPHRASE

/// Does what the arguments ask for. Returns false if they aren't understood.
func run(_ arguments: [String]) throws -> Bool {
    guard let command = arguments.first else { return false }
    if command == "make", arguments.count == 4, let count = Int(arguments[2]), let seed = UInt64(arguments[3]) {
        try Sample.makeAll(in: URL(fileURLWithPath: arguments[1]), count: count, seed: seed)
        return true
    }
    if command == "recover", arguments.count == 3 || arguments.count == 4 {
        let configuration = arguments.count == 4 ? try Sample.keyed(arguments[3]) : Configuration()
        var recovery = DatabaseRecovery(of: arguments[1], configuration: configuration)
        // As the command .recover does.
        recovery.includesFreePages = true
        print(try recovery.recover(into: arguments[2]))
        return true
    }
    #if Encryption
    if command == "decrypt", arguments.count == 4 {
        let queue = try DatabaseQueue(path: arguments[1], configuration: Sample.keyed(arguments[3]))
        try queue.export(to: arguments[2], passphrase: nil)
        return true
    }
    #endif
    return false
}

func printError(_ text: String) { FileHandle.standardError.write(Data("amalgam-recover: \(text)\n".utf8)) }

do {
    if try run(Array(CommandLine.arguments.dropFirst())) { exit(0) }
    printError("make FOLDER COUNT SEED | recover DAMAGED NEW [PASSPHRASE] | decrypt ENCRYPTED CLEAR PASSPHRASE")
    exit(2)
} catch {
    printError("\(error)")
    exit(1)
}
