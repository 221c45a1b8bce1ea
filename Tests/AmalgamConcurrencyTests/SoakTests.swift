import ChildProcesses
import TestSupport
import Testing

/// Several processes use one file for a short time. `scripts/proof/soak` does it for a minute, or longer.
@Suite(.watchdog, .serialized)
struct SoakTests {
    /// A single process must not receive its own commits as external changes.
    @Test(arguments: [("wal", 3), ("delete", 2), ("wal", 1)])
    func soak(journal: String, processes: Int) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let arguments = ["--path", folder.path("db.sqlite"), "--seconds", "1.5"]
        let lines = try await onThread {
            let soak = try ChildProcess(
                "amalgam-soak", arguments + ["--processes", "\(processes)", "--journal", journal])
            let lines = soak.remainingLines()
            #expect(soak.wait() == .exit(0))
            return lines
        }
        let last = try #require(lines.last)
        #expect(last.hasSuffix("nothing lost"))
        print(last)
    }
}
