import Foundation

/// The regular files of a folder and its subfolders, in the order of their paths.
///
/// Hidden files and symbolic links are omitted: a link leads to a file that is already listed, out of the folder, or
/// back to a parent folder.
struct FileList {
    struct File {
        var url: URL
        /// Relative to the folder.
        var path: String
        var size: Int
        /// In nanoseconds since 1970.
        var modified: Int64
    }

    private(set) var files: [File] = []

    /// The number of unreadable files and folders.
    private(set) var unreadableCount = 0

    init(folder: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw Failure("There is no folder \(folder).", exitCode: 2)
        }
        guard isFolder.boolValue else { throw Failure("\(folder) is not a folder.", exitCode: 2) }
        // The enumerator doesn't follow links, so it wouldn't follow this one either.
        let url = URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
        guard FileManager.default.isReadableFile(atPath: url.path(percentEncoded: false)) else {
            throw Failure("The folder \(folder) cannot be read.")
        }
        walk(url)
        files.sort { $0.path < $1.path }
    }

    private mutating func walk(_ folder: URL) {
        var errorCount = 0
        let enumerator = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: Array(Self.keys), options: .skipsHiddenFiles
        ) { _, _ in
            errorCount += 1
            return true
        }
        while let url = enumerator?.nextObject() as? URL {
            add(url, depth: enumerator?.level ?? 1)
        }
        unreadableCount += errorCount
    }

    private mutating func add(_ url: URL, depth: Int) {
        guard let values = try? url.resourceValues(forKeys: Self.keys) else { return unreadableCount += 1 }
        guard values.isRegularFile == true else { return }
        files.append(
            File(
                url: url,
                path: url.pathComponents.suffix(depth).joined(separator: "/"),
                size: values.fileSize ?? 0,
                modified: Int64((values.contentModificationDate?.timeIntervalSince1970 ?? 0) * 1e9)))
    }

    private static let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
}
