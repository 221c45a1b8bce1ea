import Foundation

/// The regular files of a folder and its subfolders. Hidden files and links are omitted, so no link leads out of the folder.
struct FileList {
    struct File: Sendable {
        var url: URL
        /// Relative to the folder.
        var path: String
        var stamp: SourceStamp
    }

    private(set) var files: [File] = []

    init(folder: URL) {
        let enumerator = FileManager.default.enumerator(
            at: folder.resolvingSymlinksInPath(), includingPropertiesForKeys: Array(Self.keys),
            options: .skipsHiddenFiles)
        while let url = enumerator?.nextObject() as? URL {
            if let file = Self.file(url, depth: enumerator?.level ?? 1) { files.append(file) }
        }
    }

    private static func file(_ url: URL, depth: Int) -> File? {
        guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { return nil }
        let modified = values.contentModificationDate?.timeIntervalSince1970 ?? 0
        return File(
            url: url, path: url.pathComponents.suffix(depth).joined(separator: "/"),
            stamp: SourceStamp(size: values.fileSize ?? 0, modified: Int64(modified * 1e9)))
    }

    private static let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
}
