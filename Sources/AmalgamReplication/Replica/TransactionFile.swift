#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A file with the changed pages of one or several transactions, in the format LTX:
/// <https://github.com/superfly/ltx>. A header of 100 bytes, the pages, an index of the pages, and a trailer of 16 bytes.
struct TransactionFile {
    let path: String
    let minimum: UInt64
    let maximum: UInt64
    let size: Int

    private static let headerSize = 100
    private static let trailerSize = 16

    /// - Returns: nil if the path isn't that of a transaction file.
    init?(_ path: String) {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let numbers = name.dropLast(4).split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard name.hasSuffix(".ltx"), numbers.count == 2 else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        self.path = path
        (minimum, maximum) = (numbers[0], numbers[1])
        size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// The header and the trailer, which has the checksum of the whole file. Nil if reading fails.
    var identity: Data? {
        guard let header = read(Self.headerSize, at: 0),
            let trailer = read(Self.trailerSize, at: size - Self.trailerSize)
        else { return nil }
        return header + trailer
    }

    /// The end of the transactions in the WAL file, and the salts of the WAL file at that time. Nil if the header can't be read.
    var walPosition: (salts: Data, end: UInt64)? {
        guard let header = read(Self.headerSize, at: 0), header.starts(with: Data("LTX1".utf8)) else { return nil }
        let offset = header.number(at: 48, count: 8)
        let (end, isTooLarge) = offset.addingReportingOverflow(header.number(at: 56, count: 8))
        return isTooLarge ? nil : (header[64..<72], end)
    }

    /// The time when Litestream read the transactions from the WAL file, in milliseconds since 1970. Nil if the header
    /// can't be read.
    var milliseconds: Int? {
        guard let header = read(Self.headerSize, at: 0), header.starts(with: Data("LTX1".utf8)) else { return nil }
        return Int(exactly: header.number(at: 32, count: 8))
    }

    /// Whether the file has all of its parts.
    var isWhole: Bool {
        guard let header = read(Self.headerSize, at: 0), header.starts(with: Data("LTX1".utf8)),
            header.number(at: 24, count: 8) == maximum, let start = endOfPages,
            let index = read(8, at: size - Self.trailerSize - 8)
        else { return false }
        // The number may be any that a damaged file has: a sum of it could overflow.
        let (indexSize, isTooShort) = UInt64(size).subtractingReportingOverflow(start + 8 + UInt64(Self.trailerSize))
        return !isTooShort && index.number(at: 0, count: 8) == indexSize
    }

    /// The position after the pages. Nil if a page isn't complete. Each has a number, flags, the size of its content, and
    /// the content; the number after the last one is 0.
    private var endOfPages: UInt64? {
        var position = UInt64(Self.headerSize)
        while let page = read(10, at: Int(position)) {
            if page.number(at: 0, count: 4) == 0 { return position + 6 }
            position += 10 + page.number(at: 6, count: 4)
        }
        return nil
    }

    private func read(_ count: Int, at position: Int) -> Data? {
        guard position >= 0, position + count <= size, let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        try? file.seek(toOffset: UInt64(position))
        guard let data = try? file.read(upToCount: count), data.count == count else { return nil }
        return data
    }
}

extension Data {
    /// A number in the order of bytes of a network.
    fileprivate func number(at position: Int, count: Int) -> UInt64 {
        dropFirst(position).prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
#endif
