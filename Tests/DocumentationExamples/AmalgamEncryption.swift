import Amalgam
import Foundation

struct Keychain {
    func save(_ passphrase: String, as name: String) throws {}
    func move(_ name: String, to newName: String) throws {}
}

let keychain = Keychain()
func loadPassphrase() throws -> String { "" }
func loadPassphraseData() throws -> Data { Data() }
func loadNewPassphraseData() throws -> Data { Data() }
func loadArchivePassphrase() throws -> String { "" }
func loadArchivePassphraseData() throws -> Data { Data() }
func loadKey() throws -> Data { Data() }
func loadNewKey() throws -> Data { Data() }
nonisolated(unsafe) var clearQueue: DatabaseQueue! = nil
nonisolated(unsafe) var encryptedQueue: DatabaseQueue! = nil
