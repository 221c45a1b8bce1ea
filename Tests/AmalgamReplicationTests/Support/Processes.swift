#if Replication && (os(Linux) || os(macOS))
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The processes of this machine whose command line contains a text, as `ps` lists them.
func processes(containing text: String) async throws -> [Int32] {
    let output = try await Subprocess.run(
        .path("/bin/ps"), arguments: ["-axo", "pid=,stat=,args="], output: .string(limit: 10 << 20)
    ).standardOutput
    return output.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, !words[1].hasPrefix("Z"), words[2].contains(text) else { return nil }
        return Int32(words[0])
    }
}
#endif
