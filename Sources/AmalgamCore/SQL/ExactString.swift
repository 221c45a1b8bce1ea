import Foundation

/// A string that is compared by its UTF-8 bytes, as SQLite compares SQL and values.
///
/// For Swift, the letter é as one scalar equals the letter e with a combining accent: strings are equal if they are
/// canonically equivalent. For SQLite, these are different names and different values.
package struct ExactString: Hashable, Sendable {
    package let string: String

    package init(_ string: String) {
        // A bridged string may not have UTF-8 bytes. A native string is unchanged.
        var string = string
        string.makeContiguousUTF8()
        self.string = string
    }

    package static func == (lhs: ExactString, rhs: ExactString) -> Bool { lhs.string.equalsExactly(rhs.string) }

    package func hash(into hasher: inout Hasher) {
        string.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No UTF-8 contains this byte, so that two strings have another hash than their concatenation.
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Returns whether two strings have the same UTF-8 bytes, as SQLite compares SQL and values.
    package func equalsExactly(_ other: String) -> Bool {
        let isSame: Bool? =
            utf8.withContiguousStorageIfAvailable { lhs in
                other.utf8.withContiguousStorageIfAvailable { rhs in
                    // Callers often pass the same string again, whose bytes needn't be read.
                    lhs.count == rhs.count
                        && (lhs.baseAddress == rhs.baseAddress || lhs.isEmpty
                            || memcmp(lhs.baseAddress!, rhs.baseAddress!, lhs.count) == 0)
                }
            } ?? nil
        return isSame ?? utf8.elementsEqual(other.utf8)
    }
}
