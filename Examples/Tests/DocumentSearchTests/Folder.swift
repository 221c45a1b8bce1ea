import Foundation

/// A temporary folder with files to index. It is deleted with the object.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "DocumentSearchTests-\(UUID().uuidString)")
    var path: String { url.path(percentEncoded: false) }

    init(_ files: [String: String] = [:]) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (path, text) in files { try write(text, to: path) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

    func write(_ bytes: Data, to path: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: file)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(at: url.appending(path: path)) }

    func link(_ path: String, to destination: String) throws {
        let link = url.appending(path: path).path(percentEncoded: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: destination)
    }

    /// Changes only the modification time.
    func touch(_ path: String) throws {
        let file = url.appending(path: path).path(percentEncoded: false)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file)
    }
}

/// Creates a small folder: three documents, two of which mention otters.
func otters() throws -> Folder {
    try Folder([
        "notes/otters.md": "# Otters of the river\n\nAn otter holds hands while it sleeps.\n",
        "src/otter.swift": "// 2026-01-01\n// Copyright nobody.\n//\n// Counts the otters.\nlet otters = 3\n",
        "src/deep/heron.txt": "A heron stands still.\n",
    ])
}
