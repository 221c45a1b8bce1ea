import Foundation

/// The text of a file, and a hash of its bytes, which detects changes.
struct TextFile {
    var text: String
    var hash: Int64

    /// The reason why a file isn't indexed.
    enum Skip: String, Error, CaseIterable {
        case binary
        case unreadable
        case tooLarge = "too large"
    }

    static let sizeLimit = 16 << 20

    /// Reads a file. Bytes that aren't UTF-8 become `U+FFFD`, so that the rest of the text can still be found.
    ///
    /// - Throws: `Skip` if the file can't be indexed.
    init(_ file: FileList.File) throws(Skip) {
        if file.size > Self.sizeLimit { throw .tooLarge }
        let bytes = try Self.bytes(of: file.url)
        text = String(decoding: bytes, as: UTF8.self)
        hash = bytes.fnv1a
    }

    /// Returns the bytes of a file. A file with a zero byte is binary. Most binary files have one early, so the rest of
    /// them isn't read.
    private static func bytes(of url: URL) throws(Skip) -> Data {
        do {
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            var bytes = try handle.read(upToCount: 8192) ?? Data()
            if bytes.hasZero { throw Skip.binary }
            let rest = try handle.readToEnd() ?? Data()
            if rest.hasZero { throw Skip.binary }
            bytes += rest
            return bytes
        } catch {
            throw error as? Skip ?? .unreadable
        }
    }
}

extension Data {
    fileprivate var hasZero: Bool { withUnsafeBytes { $0.contains(0) } }

    /// The FNV-1a hash: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    fileprivate var fnv1a: Int64 {
        withUnsafeBytes { bytes in
            Int64(bitPattern: bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
        }
    }
}
