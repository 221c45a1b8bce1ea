import AmalgamCore

/// What is known about decoding the rows of a statement.
///
/// A row that moves with a statement keeps its plans, and so does the statement, for its next run. Those of copies, which
/// have the same columns, are lent to one after the other: see `decode(_:_:)`.
final class RowPlans {
    /// One for each type that is decoded from the row.
    @exclusivity(unchecked)  // Rows are used from one thread, and plans are not used while they change.
    private var decoders: [RecordDecoder] = [] { didSet { latest = nil } }

    /// The one that was asked for last.
    @exclusivity(unchecked)
    private var latest: Unmanaged<RecordDecoder>?

    /// The parts of a row that moves, by name.
    private var parts: [String: RowPart] = [:]

    /// Those of prefetched rows, by the key of the association.
    private var elementPlans: [String: RowPlans] = [:]

    /// The decoder that was asked for last; nil when it is not the right one, or at work already.
    @inline(__always)
    func latestDecoder(of type: any FetchableRecord.Type, for row: Row) -> RecordDecoder? {
        guard let latest, latest._withUnsafeGuaranteedRef({ $0.fits(type, row) && !$0.source.isReading }) else {
            return nil
        }
        return latest.takeUnretainedValue()
    }

    /// The decoder of a type. One that is at work already is not disturbed.
    func decoder(of type: any FetchableRecord.Type, for row: Row) -> RecordDecoder {
        for decoder in decoders where decoder.fits(type, row) {
            if decoder.source.isReading { return RecordDecoder(rowsLike: row, of: type) }
            latest = Unmanaged.passUnretained(decoder)
            return decoder
        }
        // Columns change when SQLite has compiled the statement again.
        decoders.removeAll { $0.source.recordType == type && !$0.source.isReading }
        let decoder = RecordDecoder(rowsLike: row, of: type)
        decoders.append(decoder)
        return decoder
    }

    /// Forgets what strategies have decided: types may give others in another run. The positions of columns stay.
    func forgetStrategies() {
        decoders.removeAll { !$0.source.hasDefaultKeys }
        for decoder in decoders { decoder.forgetStrategies() }
    }

    /// The nearest part of the row with a name, or nil.
    func part(named name: String, in layout: RowLayout?) -> RowPart? {
        if let part = parts[name] { return part }
        guard let part = RowPart(named: name, in: layout) else { return nil }
        parts[name] = part
        return part
    }

    /// The plans of the rows of an association.
    func elements(forKey key: String) -> RowPlans {
        if let plans = elementPlans[key] { return plans }
        let plans = RowPlans()
        elementPlans[key] = plans
        return plans
    }

    /// Decodes a row that has the same columns as the ones before it.
    func decode<Record: FetchableRecord>(_ type: Record.Type, _ row: Row) throws -> Record {
        // A row that moves has plans of its own.
        if row.decodingPlans != nil || row.statement != nil { return try Record(row: row) }
        row.borrowDecodingPlans(self)
        defer { row.borrowDecodingPlans(nil) }
        return try Record(row: row)
    }

    /// Decodes rows that have the same columns as the ones before them.
    func decode<Record: FetchableRecord>(_ type: Record.Type, _ rows: PrefetchedRows) throws -> [Record] {
        // All empty arrays share their memory, and the standard library would write its count there.
        if rows.count == 0 { return [] }
        return try Array(unsafeUninitializedCapacity: rows.count) { records, count in
            try rows.forEachRow { row in
                records.initializeElement(at: count, to: try decode(type, row))
                count += 1
            }
        }
    }
}

extension RecordDecoder {
    /// Whether the decoder is one of a type, for the columns of a row.
    @inline(__always)
    fileprivate func fits(_ type: any FetchableRecord.Type, _ row: Row) -> Bool {
        source.recordType == type && source.columns === row.columns
    }
}

extension Row {
    /// The plans that the row has.
    var plans: RowPlans? { decodingPlans.map { $0.takeUnretainedValue() as! RowPlans } }

    /// The plans of a row that moves: those that its statement has kept, or new ones. Copies would keep them for nothing:
    /// nil.
    func makePlans() -> RowPlans? {
        guard let statement else { return nil }
        // Adapters show columns of their own, each time.
        let kept = layout == nil ? statement.decodingPlans.map { $0 as! RowPlans } : nil
        kept?.forgetStrategies()
        let plans = kept ?? RowPlans()
        keepDecodingPlans(plans)
        if layout == nil { statement.decodingPlans = plans }
        return plans
    }
}
