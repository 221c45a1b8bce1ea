#if os(Linux)
import Foundation
package import Testing

/// The locks that this process holds on a file, as `/proc/locks` lists them: `READ 1073741826 1073742335` is SQLite's SHARED
/// lock.
///
/// If any code of the process closes another descriptor of the file, the system releases all of them:
/// <https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>.
package func fileLocks(_ path: String) throws -> [String] {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
    let process = "\(ProcessInfo.processInfo.processIdentifier)"
    let list = try systemFile("/proc/locks")
    return list.split(separator: "\n").compactMap { line in
        // 1: POSIX  ADVISORY  READ 4711 fe:00:1234 1073741826 1073742335
        let words = line.split(separator: " ").map(String.init)
        let isOwn = words.count == 8 && words[1] == "POSIX" && words[4] == process && words[5].hasSuffix(":\(inode)")
        return isOwn ? "\(words[3]) \(words[6]) \(words[7])" : nil
    }.sorted()
}

/// Expects that this process holds the locks of an idle pool in WAL mode.
///
/// The list isn't read as a whole, so that it may lack lines while other locks change. A lock that was released doesn't come
/// back.
package func expectLocksOfAPool(
    _ path: String, _ moment: String, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let expected = [["READ 1073741826 1073742335"], ["READ 128 128"]]
    var found: [[String]] = []
    for _ in 0..<500 {
        found = try [path, path + "-shm"].map(fileLocks)
        if found == expected { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("\(moment): \(found)", sourceLocation: sourceLocation)
}
#endif
