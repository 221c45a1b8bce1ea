import Crypto
import Foundation

/// The key for editing and operating, of which only a hash is stored.
///
/// A key is 256 random bits, so that one round of SHA-256 suffices: no list of likely keys can be tried.
struct AccessKey: Sendable {
    private let hash: SHA256Digest

    init(key: String) { hash = SHA256.hash(data: Data(key.utf8)) }

    /// Reads the hash of a key from a file that ``create(at:)`` has made.
    ///
    /// - Throws: a `ServiceError` if the file has no hash.
    init(file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = [UInt8](hexadecimal: text), let hash = SHA256Digest(bytes: bytes) else {
            throw ServiceError("\(file.path(percentEncoded: false)) has no key: see --make-key.")
        }
        self.hash = hash
    }

    /// Makes a key, and writes its hash to a file that only its owner can read.
    ///
    /// - Returns: the key.
    static func create(at file: URL) throws -> String {
        let key = RandomText.make()
        let hash = SHA256.hash(data: Data(key.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let path = file.path(percentEncoded: false)
        let contents = Data((hash.joined() + "\n").utf8)
        guard FileManager.default.createFile(atPath: path, contents: contents, attributes: [.posixPermissions: 0o600])
        else { throw ServiceError("The file \(path) can't be written.") }
        return key
    }

    /// Compares in constant time.
    func matches(_ key: String) -> Bool { SHA256.hash(data: Data(key.utf8)) == hash }
}

extension SHA256Digest {
    /// Digests are compared in constant time, arrays aren't: so the stored hash becomes a digest.
    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withUnsafeBytes { source in
            var digest = SHA256.hash(data: Data())
            withUnsafeMutableBytes(of: &digest) { $0.copyMemory(from: source) }
            return digest
        }
    }
}

extension [UInt8] {
    fileprivate init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
