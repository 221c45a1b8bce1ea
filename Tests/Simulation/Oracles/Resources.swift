import Foundation

/// What a process holds of the files in a folder.
struct Resources: Equatable, CustomStringConvertible {
    var descriptors: [String] = []
    var locks: [String] = []

    var isEmpty: Bool { descriptors.isEmpty && locks.isEmpty }

    var description: String { "open files \(descriptors), locks \(locks)" }

    #if os(Linux)
    static let areKnown = true

    init(of folder: URL) {
        let files = FileManager.default
        let folder = folder.resolvingSymlinksInPath()
        let names = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        descriptors = names.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(folder.path) }
        let inodes = ((try? files.contentsOfDirectory(atPath: folder.path)) ?? []).compactMap { name in
            (try? files.attributesOfItem(atPath: folder.appendingPathComponent(name).path))?[.systemFileNumber]
                as? NSNumber
        }
        let suffixes = Set(inodes.map { ":\($0.uint64Value)" })
        let process = "\(ProcessInfo.processInfo.processIdentifier)"
        locks = ((try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? "").split(separator: "\n").compactMap
        {
            let words = $0.split(separator: " ").map(String.init)
            guard words.count == 8, words[4] == process, suffixes.contains(where: words[5].hasSuffix) else {
                return nil
            }
            return words[3...].joined(separator: " ")
        }
    }
    #else
    static let areKnown = false

    init(of folder: URL) {}
    #endif

    /// More threads than Dispatch and the Swift runtime keep for further work.
    static let threadLimit = 200

    /// The number of threads of this process; nil where it isn't known.
    static var threadCount: Int? {
        #if os(Linux)
        return try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        #else
        return nil
        #endif
    }
}
