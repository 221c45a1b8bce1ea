import Foundation

/// A row of `profiles` as a `Codable` record.
struct MixedRecord: Codable, FetchableRecord {
    var id: Int
    var name: String
    var email: String
    var score: Double
    var seen: Date
}
