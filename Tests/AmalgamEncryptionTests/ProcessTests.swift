#if Encryption
import Amalgam
import ChildProcesses
import Foundation
import TestSupport
import Testing

/// Facts that need a process of their own: Tests/CipherTool is its program.
@Suite("Processes with encrypted files", .serialized)
struct ProcessTests {
    private let folder = Folder()
    private var path: String { folder.path("secret.sqlite") }

    private func run(_ command: String, _ key: String = "secret", _ arguments: String...) throws -> [String] {
        let process = try ChildProcess("amalgam-cipher-tool", [command, path, key] + arguments)
        let lines = process.remainingLines()
        #expect(process.wait() == .exit(0))
        return lines
    }

    @Test func aPoolDerivesOneKey() throws {
        _ = try run("create")
        // The writer derives it; five readers and a snapshot find it. A later connection derives it again.
        #expect(try run("derive") == ["1", "1", "2"])
    }

    /// SQLCipher and OpenSSL would free what the threads use.
    @Test func threadsMayReadWhileTheProcessEnds() throws {
        _ = try run("create")
        for _ in 0..<5 { _ = try run("exit-while-reading") }
    }

    /// SQLCipher would keep a pointer to memory that it has freed, and SQLite wouldn't initialise it again.
    @Test func anInitialisationWithoutMemoryIsRepeated() throws {
        _ = try run("create", "secret", "PRAGMA kdf_iter = 1000")
        let rounds = try run("initialize", "secret", "PRAGMA kdf_iter = 1000").map { $0.split(separator: " ") }
        #expect(rounds.count > 20)
        #expect(rounds.allSatisfy { $0.dropFirst() == ["openssl", "2000"] })
        #expect(Set(rounds.map(\.first)) == ["0", "7"])
        #expect(rounds.last?.first == "0")
    }

    @Test(arguments: ["create", "create-rollback"])
    func aKilledChangeLeavesTheOldOrTheNewPassphrase(creation: String) throws {
        _ = try run(creation, "even", "PRAGMA kdf_iter = 1000")
        var passphrase = "even"
        var changeCount = 0
        for round in 0..<12 {
            // The program begins with a change to "odd".
            let names = passphrase == "even" ? ["even", "odd"] : ["odd", "even"]
            if passphrase == "odd" {
                try open("odd").changePassphrase("even")
                passphrase = "even"
            }
            let process = try ChildProcess(
                "amalgam-cipher-tool", ["change-until-killed", path, "even", "PRAGMA kdf_iter = 1000"])
            process.waitForOutput()
            Thread.sleep(forTimeInterval: Double(round) * 0.0037)
            process.kill()
            process.wait()
            let changes = process.remainingLines()
            changeCount += changes.count
            let opened = ["even", "odd"].filter { (try? open($0)) != nil }
            try #require(opened.count == 1, "\(opened) after \(changes.count) changes of \(names)")
            passphrase = opened[0]
            let queue = try open(passphrase)
            #expect(try queue.read { db in try db.integrityCheck() } == [])
            #expect(try queue.read { db in try db.checkCipherIntegrity() } == [])
            #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") } == 2000)
            // The last change that was reported is there, or the one after it.
            #expect([changes.last, changes.last == "odd" ? "even" : "odd"].contains(passphrase))
        }
        #expect(changeCount > 12)
    }

    private func open(_ passphrase: String) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: keyed(passphrase, "kdf_iter = 1000"))
    }
}
#endif
