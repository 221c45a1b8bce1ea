import Amalgam

/// ``InsertBeside100`` beside 1,000 observations. The peer could do it, too: in some twelve seconds for each of many runs.
struct InsertBeside1000: InsertingBeside {
    static let name = "insert-beside-1000"
    static let observationCount = 1000
    var insert: InsertBeside
}
