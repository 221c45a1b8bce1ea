#if Encryption
import Amalgam
import Foundation

// A program that works on one encrypted file. scripts/proof/encryption runs it together with other builds of SQLCipher.

let usage = """
    usage: amalgam-cipher-tool COMMAND PATH KEY [ARGUMENT…] [PRAGMA…]

      create PATH KEY                creates a database in WAL mode
      create-rollback PATH KEY       creates a database in rollback-journal mode
      read PATH KEY                  prints the content of the database as JSON
      write PATH KEY                 adds a row
      hold PATH KEY                  adds a row to a database in WAL mode, prints "ready", and waits
      hold-transaction PATH KEY      changes all rows, prints "ready", waits, and rolls back
      migrate PATH KEY               runs PRAGMA cipher_migrate
      change-key PATH KEY NEWKEY     encrypts the database with another pass phrase
      export PATH KEY FILE FILEKEY   writes the database to a new file
      derive PATH KEY                reads on all connections of a pool, and prints how often a key was derived
      exit-while-reading PATH KEY    ends the process while two threads read
      initialize PATH KEY            lets each allocation of SQLite's initialisation fail, and reads after each failure
      change-until-killed PATH KEY   changes the pass phrase to "even", "odd", "even" …, and prints each change that ended

    A KEY is a pass phrase, or raw: and the 64 hexadecimal digits of a raw key, or the 96 of a raw key and its salt; it is
    empty for a clear file. NEWKEY is a pass phrase, and so is FILEKEY if it isn't empty. Each PRAGMA runs when the key is set.
    The commands that wait do so until the standard input ends. The exit code is the result code of SQLite.

    """

func fail(_ message: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    exit(code)
}

func run(_ command: String, _ file: EncryptedFile, _ arguments: [String]) throws {
    switch command {
    case "create": try file.create(inWALMode: true)
    case "create-rollback": try file.create(inWALMode: false)
    case "read": try file.read()
    case "write": try file.write()
    case "hold": try file.holdCommit()
    case "hold-transaction": try file.holdTransaction()
    case "migrate": try file.migrate()
    case "change-key": try file.changePassphrase(arguments[0])
    case "derive": try file.printDerivations()
    case "exit-while-reading": try file.exitWhileReading()
    case "initialize": try file.initializeWithoutMemory()
    case "change-until-killed": try file.changeUntilKilled()
    case "export": try file.export(to: arguments[0], passphrase: arguments[1].isEmpty ? nil : arguments[1])
    default: fail(usage, code: 2)
    }
}

let words = Array(CommandLine.arguments.dropFirst())
let argumentCount = ["change-key": 1, "export": 2][words.first ?? ""] ?? 0
guard words.count >= 3 + argumentCount, let key = Key(words[2]) else { fail(usage, code: 2) }
do {
    let file = EncryptedFile(path: words[1], key: key, pragmas: Array(words.dropFirst(3 + argumentCount)))
    try run(words[0], file, Array(words[3..<3 + argumentCount]))
} catch let error as DatabaseError {
    let code = error.resultCode.primaryResultCode.rawValue
    fail("\(code) \(error.message ?? "")\n", code: code)
} catch {
    fail("\(error)\n", code: 1)
}
#else
import Foundation

FileHandle.standardError.write(
    Data("amalgam-cipher-tool needs the trait: swift build --traits Encryption --product amalgam-cipher-tool\n".utf8))
exit(1)
#endif
