import Foundation

// Replacements for declarations of modules that the fuzzer doesn't contain, used by the files of the codec.

package protocol DatabaseValueConvertible {}

extension Data: DatabaseValueConvertible {}

extension String: DatabaseValueConvertible {}
