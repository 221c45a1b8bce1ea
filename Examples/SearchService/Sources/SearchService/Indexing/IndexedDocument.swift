import Foundation

/// A document as its source has it.
struct IndexedDocument: Sendable {
    var path: String
    var language: String?
    var modified: Date
    var title: String
    /// A JSON object.
    var metadata: String
    var body: String
    var stamp: SourceStamp

    /// A hash of the content. A source with another modification time and the same hash isn't indexed again.
    var hash: Int64
}

/// What tells that a source has changed, without reading it.
struct SourceStamp: Hashable, Sendable {
    var size: Int
    /// In nanoseconds since 1970.
    var modified: Int64
}

extension Sequence<UInt8> {
    /// The FNV-1a hash: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    var fnv1a: Int64 { Int64(bitPattern: reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }) }
}

extension Date {
    init(nanoseconds: Int64) { self.init(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}
