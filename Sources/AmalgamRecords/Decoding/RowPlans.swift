import AmalgamCore

/// The cached decoders for the rows of a statement, called the plans of the statement.
///
/// A row attached to a statement retains the plans, and the statement retains them for its next execution. A copied row
/// doesn't retain plans. To decode a list of copied rows, `decode(_:_:)` attaches one `RowPlans` object to each row in
/// turn. Plans are used from one thread.
final class RowPlans {
    /// One decoder for each type that is decoded from the row.
    @exclusivity(unchecked)  // Rows are used from one thread, and plans are never modified while they are read.
    private var decoders: [RecordDecoder] = [] { didSet { latest = nil } }

    /// The most recently used decoder.
    @exclusivity(unchecked)
    private var latest: Unmanaged<RecordDecoder>?

    /// The scopes of a row that is attached to a statement, by name.
    private var parts: [String: RowPart] = [:]

    /// The cached decoders of prefetched rows, by the key of the association.
    private var elementPlans: [String: RowPlans] = [:]

    /// Returns the most recently used decoder; nil if it is in use, or decodes a different type or different columns.
    @inline(__always)
    func latestDecoder(of type: any FetchableRecord.Type, for row: Row) -> RecordDecoder? {
        guard let latest, latest._withUnsafeGuaranteedRef({ $0.fits(type, row) && !$0.source.isReading }) else {
            return nil
        }
        return latest.takeUnretainedValue()
    }

    /// Returns a decoder of a type: the cached one, or a new one if the cached one is in use.
    func decoder(of type: any FetchableRecord.Type, for row: Row) -> RecordDecoder {
        for decoder in decoders where decoder.fits(type, row) {
            if decoder.source.isReading { return RecordDecoder(rowsLike: row, of: type) }
            latest = Unmanaged.passUnretained(decoder)
            return decoder
        }
        // SQLite may have recompiled the statement, with different columns.
        decoders.removeAll { $0.source.recordType == type && !$0.source.isReading }
        let decoder = RecordDecoder(rowsLike: row, of: type)
        decoders.append(decoder)
        return decoder
    }

    /// Discards the property readers. They depend on the strategies of the record types, such as
    /// `databaseDateDecodingStrategy(for:)`, and a type may return different strategies for the next execution of the
    /// statement.
    ///
    /// For types whose coding keys are the column names, the positions of the columns remain cached.
    func forgetStrategies() {
        decoders.removeAll { !$0.source.hasDefaultKeys }
        for decoder in decoders { decoder.forgetStrategies() }
    }

    /// Returns the nearest scope of the row with the given name, or nil.
    func part(named name: String, in layout: RowLayout?) -> RowPart? {
        if let part = parts[name] { return part }
        guard let part = RowPart(named: name, in: layout) else { return nil }
        parts[name] = part
        return part
    }

    /// Returns the cached decoders of an association's rows.
    func elements(forKey key: String) -> RowPlans {
        if let plans = elementPlans[key] { return plans }
        let plans = RowPlans()
        elementPlans[key] = plans
        return plans
    }

    /// Decodes a row that has the same columns as the previous ones.
    func decode<Record: FetchableRecord>(_ type: Record.Type, _ row: Row) throws -> Record {
        // A row that is attached to a statement has its own plans.
        if row.decodingPlans != nil || row.statement != nil { return try Record(row: row) }
        row.borrowDecodingPlans(self)
        defer { row.borrowDecodingPlans(nil) }
        return try Record(row: row)
    }

    /// Decodes rows that have the same columns as the previous ones.
    func decode<Record: FetchableRecord>(_ type: Record.Type, _ rows: PrefetchedRows) throws -> [Record] {
        // All empty arrays of a process share one buffer. The initializer below would write the count 0 to this buffer,
        // which is a data race if several threads do so.
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
    /// Whether this is the decoder of a type, for the columns of a row.
    @inline(__always)
    fileprivate func fits(_ type: any FetchableRecord.Type, _ row: Row) -> Bool {
        source.recordType == type && source.columns === row.columns
    }
}

extension Row {
    /// The plans that the row retains or borrows.
    var plans: RowPlans? { decodingPlans.map { $0.takeUnretainedValue() as! RowPlans } }

    /// Returns the plans (cached decoders) for a row that is attached to a statement: those retained by the statement,
    /// or new ones. Returns nil for a copied row, which is usually decoded once.
    func makePlans() -> RowPlans? {
        guard let statement else { return nil }
        // An adapter creates new columns for each execution, so that plans can't be reused.
        let kept = layout == nil ? statement.decodingPlans.map { $0 as! RowPlans } : nil
        kept?.forgetStrategies()
        let plans = kept ?? RowPlans()
        keepDecodingPlans(plans)
        if layout == nil { statement.decodingPlans = plans }
        return plans
    }
}
