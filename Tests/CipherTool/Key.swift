#if Encryption
import Amalgam
import Foundation

/// The key of a file, as an argument of the program.
enum Key: Sendable {
    case none
    case passphrase(String)
    case raw(key: [UInt8], salt: [UInt8]?)

    /// - Returns: nil for `raw:` with another number of digits than 64 or 96.
    init?(_ argument: String) {
        guard !argument.isEmpty else {
            self = .none
            return
        }
        guard argument.hasPrefix("raw:") else {
            self = .passphrase(argument)
            return
        }
        let digits = Array(argument.dropFirst(4))
        guard [64, 96].contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2)
            .compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        self = .raw(key: Array(bytes.prefix(32)), salt: bytes.count > 32 ? Array(bytes.dropFirst(32)) : nil)
    }

    func use(in db: Database) throws {
        switch self {
        case .none: break
        case .passphrase(let passphrase): try db.usePassphrase(passphrase)
        case .raw(let key, let salt): try db.useRawKey(key, salt: salt)
        }
    }
}
#endif
