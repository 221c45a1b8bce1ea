/// A row of `integers` as a `Codable` record, as most applications write it.
struct IntegersRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "integers"

    var id: Int64?
    var i0, i1, i2, i3, i4, i5, i6, i7, i8, i9: Int

    /// The sum of the ten columns.
    var sum: Int {
        let first = i0 &+ i1 &+ i2 &+ i3 &+ i4
        return first &+ i5 &+ i6 &+ i7 &+ i8 &+ i9
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension IntegersRecord {
    /// Creates the record with a number, without a key: `10n`, `10n + 1`, …
    init(number n: Int) {
        let v = 10 * n
        self.init(
            i0: v, i1: v + 1, i2: v + 2, i3: v + 3, i4: v + 4, i5: v + 5, i6: v + 6, i7: v + 7, i8: v + 8, i9: v + 9)
    }
}
