#if Encryption
import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Pass phrases")
struct PassphraseTests {
}
#endif
