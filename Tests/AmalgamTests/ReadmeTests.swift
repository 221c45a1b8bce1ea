import Amalgam
import ChildProcesses
import Foundation
import Testing

/// The first example of README.md, built as the main.swift of a program: Tests/ReadmeExample.
@Suite("The example of README.md")
struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The first Swift block of README.md.
    private static func example() throws -> String {
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let block = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
        return try #require(block.components(separatedBy: "```").first)
    }

    /// Runs the program in a folder, and returns its exit status and its output.
    /// The globals of a program are alive at its end: LeakSanitizer, which doesn't follow weak references, reports what they
    /// hold.
    private static let environment = "ASAN_OPTIONS=detect_leaks=0"

    private static func run(in folder: URL) throws -> (status: CInt, output: String) {
        let program = try ChildProcess.path(of: "amalgam-readme")
        let pipe = try #require(popen("cd '\(folder.path)' && \(Self.environment) '\(program)' 2>&1", "r"))
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            output.append(contentsOf: buffer[..<count])
        }
        return (pclose(pipe), String(decoding: output, as: UTF8.self))
    }

    @Test("It is the program that is built")
    func source() throws {
        let main = Self.root.appendingPathComponent("Tests/ReadmeExample/main.swift")
        #expect(try Self.example() == String(contentsOf: main, encoding: .utf8))
    }

    @Test("It prints what its comments say, and nothing else")
    func output() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (status, output) = try Self.run(in: folder)
        #expect(status == 0)
        #expect(
            output == """
                Herman Melville ["Moby-Dick"]
                ["Moby-Dick"]
                [1852]
                [1851]
                UPDATE book 1 (year: 1852 -> 1851) by user:42
                ["[word:\\"Moby\\" year:1851]", "[word:\\"Dick\\" year:1851]"]

                """)
        let comments = try Self.example().split(separator: "\n").filter { $0.contains("print(") }
            .map { $0.components(separatedBy: "  // ").last }
        #expect(comments.map { $0?.replacingOccurrences(of: ", then ", with: "\n") } == Self.lines(of: output))
        let copy = try DatabaseQueue(path: folder.appendingPathComponent("copy.sqlite").path)
        #expect(try copy.read { try Int.fetchAll($0, sql: "SELECT year FROM book") } == [1851])
    }

    /// The lines of the output, where the two values of the observation are one entry.
    private static func lines(of output: String) -> [String] {
        output.dropLast().replacingOccurrences(of: "[1852]\n[1851]", with: "[1852] [1851]")
            .split(separator: "\n").map { $0.replacingOccurrences(of: "[1852] [1851]", with: "[1852]\n[1851]") }
    }
}
