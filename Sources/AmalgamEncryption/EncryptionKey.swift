#if Encryption
import AmalgamCore
import CAmalgam
import Foundation

/// The bytes of a key, for the duration of one call. Every copy is overwritten with zeros when it isn't needed any
/// more.
///
/// The application's own string or data isn't overwritten: Swift doesn't allow it for a string.
final class EncryptionKey {
    /// Frees bytes that were overwritten.
    typealias Release = (UnsafeMutableRawBufferPointer) -> Void

    private let bytes: UnsafeMutableRawBufferPointer
    private let release: Release

    /// A pass phrase, from which SQLCipher derives the key.
    convenience init(passphrase: String, release: @escaping Release = { $0.deallocate() }) {
        var passphrase = passphrase
        self.init(passphrase.withUTF8 { Self.copy(UnsafeRawBufferPointer($0)) }, release)
    }

    /// A pass phrase, from which SQLCipher derives the key.
    convenience init(passphrase: some ContiguousBytes, release: @escaping Release = { $0.deallocate() }) {
        self.init(passphrase.withUnsafeBytes(Self.copy), release)
    }

    /// A key that isn't derived: `x'…'` with the hexadecimal digits of the key and of the salt, as SQLCipher wants it.
    ///
    /// - Throws: `SQLITE_MISUSE` if the key doesn't have 32 bytes, or the salt 16.
    convenience init(
        raw key: some ContiguousBytes, salt: (some ContiguousBytes)?,
        release: @escaping Release = { $0.deallocate() }
    ) throws {
        let keySize = key.withUnsafeBytes(\.count)
        let saltSize = salt?.withUnsafeBytes(\.count)
        guard keySize == 32, saltSize ?? 16 == 16 else {
            throw DatabaseError.misuse(
                "A raw key has 32 bytes, and its salt 16; these have \(keySize) and \(saltSize.map(String.init) ?? "none")."
            )
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 3 + 2 * (keySize + (saltSize ?? 0)), alignment: 1)
        var count = 0
        func append(_ byte: UInt8) {
            memory[count] = byte
            count += 1
        }
        func append(hexadecimal bytes: UnsafeRawBufferPointer) {
            for byte in bytes {
                for digit in [byte >> 4, byte & 15] {
                    append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            }
        }
        append(UInt8(ascii: "x"))
        append(UInt8(ascii: "'"))
        key.withUnsafeBytes { append(hexadecimal: $0) }
        salt?.withUnsafeBytes { append(hexadecimal: $0) }
        append(UInt8(ascii: "'"))
        self.init(memory, release)
    }

    private init(_ bytes: UnsafeMutableRawBufferPointer, _ release: @escaping Release) {
        self.bytes = bytes
        self.release = release
    }

    private static func copy(_ source: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        copy.copyMemory(from: source)
        return copy
    }

    deinit {
        amalgam_wipe(bytes.baseAddress, bytes.count)
        release(bytes)
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// Calls a closure with the address and the number of the bytes.
    func withBytes<T>(_ body: (UnsafeRawPointer?, CInt) -> T) -> T {
        body(bytes.baseAddress, CInt(clamping: bytes.count))
    }
}
#endif
