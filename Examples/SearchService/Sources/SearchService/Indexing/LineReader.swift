import Foundation

/// Reads a file in parts, and returns its lines. Empty lines are omitted.
struct LineReader {
    private let handle: FileHandle
    private var rest = Data()
    private var isAtEnd = false

    init(_ file: URL) throws { handle = try FileHandle(forReadingFrom: file) }

    /// Returns about so many lines, or none at the end of the file.
    mutating func next(_ count: Int) throws -> [Data] {
        var lines: [Data] = []
        while lines.count < count && !isAtEnd {
            let part = try handle.read(upToCount: 1 << 20) ?? Data()
            isAtEnd = part.isEmpty
            rest += part
            lines += takeLines()
        }
        return lines
    }

    private mutating func takeLines() -> [Data] {
        let end = isAtEnd ? rest.endIndex : rest.lastIndex(of: UInt8(ascii: "\n")) ?? rest.startIndex
        let lines = rest[..<end].split(separator: UInt8(ascii: "\n"))
        rest = Data(rest[end...])
        return lines
    }
}
