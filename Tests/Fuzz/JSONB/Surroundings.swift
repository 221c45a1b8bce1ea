import Foundation

// What the files of the codec take from modules that are not a part of the fuzzer.

package protocol DatabaseValueConvertible {}

extension Data: DatabaseValueConvertible {}

extension String: DatabaseValueConvertible {}
