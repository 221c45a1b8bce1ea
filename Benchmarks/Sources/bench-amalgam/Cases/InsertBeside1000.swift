import Amalgam

/// ``InsertBeside100`` with 1,000 observations. The peer could run it, too, but each of many runs would take about
/// twelve seconds.
struct InsertBeside1000: InsertingBeside {
    static let name = "insert-beside-1000"
    static let observationCount = 1000
    var insert: InsertBeside
}
