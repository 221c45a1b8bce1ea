internal import AmalgamCore
import CAmalgam

/// The rows that an action has changed, with their values before and after the action.
struct RecordedAction: Sendable {
    let tables: [ImagedTable]
    /// The lifetimes of these tables after the action.
    let lifetimes: [TableLifetime]
    let rows: [Row]
    /// The schema version of the file after the action. VACUUM increments it, and may renumber rows.
    var schemaVersion: Int

    /// A place whose content the action has changed.
    struct Row: Sendable {
        /// An index in `tables`.
        let table: Int
        let place: RowPlace
        let before: RowImage?
        let after: RowImage?
    }

    var isEmpty: Bool { rows.isEmpty }

    static func schemaVersion(_ db: Database) throws -> Int {
        try db.unnoticed { try Int.fetchOne(db, sql: "PRAGMA main.schema_version") ?? 0 }
    }
}

extension RecordedAction {
    /// Reads the values after the action from the tables.
    ///
    /// - Throws: `SQLITE_SCHEMA` if the action has dropped or altered a table whose rows it had changed before; an error
    ///   of reading.
    init(_ db: Database, _ recorder: RowImageRecorder) throws {
        // After a rollback, SQLite reads the schema only when it is used again.
        _ = try TableLifetimes.noting(db)
        var tables: [ImagedTable] = []
        var rows: [Row] = []
        let places = Dictionary(grouping: recorder.places, by: \.table)
        for (number, places) in places.sorted(by: { $0.key < $1.key }) {
            let name = recorder.tableName(number)
            guard let table = try Self.table(db, name, number, recorder, places) else { continue }
            let reader = try RowReader(db, table)
            for place in try table.distinct(places, db, place: \.place) {
                let before = try place.before.map { try table.complete($0, db) }
                let after = try reader.image(at: place.place)
                if before == after { continue }
                rows.append(Row(table: tables.count, place: place.place, before: before, after: after))
            }
            tables.append(table)
        }
        self.tables = tables
        lifetimes = tables.map { recorder.lifetime(of: $0.name) }
        self.rows = rows
        schemaVersion = try Self.schemaVersion(db)
    }

    /// - Returns: nil for a table that the action has created and dropped.
    private static func table(
        _ db: Database, _ name: String, _ number: Int, _ recorder: RowImageRecorder, _ places: [RowImageRecorder.Place]
    ) throws -> ImagedTable? {
        let table = try ImagedTable(db, name)
        let isTemporary = recorder.isNew(name) && places.allSatisfy { $0.before == nil }
        if !isTemporary && (table == nil || recorder.isGone(name)) {
            throw alteration(name, "dropped or renamed the table \(name)")
        }
        guard let table else { return nil }
        guard recorder.fits(number, table) else {
            throw alteration(name, "renamed, moved or dropped columns of the table \(name)")
        }
        return table
    }

    private static func alteration(_ name: String, _ what: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: """
                The action has \(what) after changing its rows, which can't be undone. It was rolled back. Change the \
                schema outside of perform(_:named:_:), or before the first change of the table.
                """)
    }
}

extension ImagedTable {
    /// Appends the default values of columns that were added after an image was recorded.
    func complete(_ image: RowImage, _ db: Database) throws -> RowImage {
        var values = image.values
        while values.count < columns.count { try values.append(defaultValue(db, ofColumn: values.count)) }
        return values.count == columns.count && image.values.count == columns.count ? image : RowImage(values: values)
    }

    /// Removes elements that have the place of an earlier element. By the collations of the primary key, `a` and `A` may be
    /// the same place.
    func distinct<Element>(
        _ elements: [Element], _ db: Database, place: (Element) -> RowPlace
    ) throws -> [Element] {
        let places = elements.map(place)
        if hasRowID {
            var known: Set<RowPlace> = []
            return elements.indices.filter { known.insert(places[$0]).inserted }.map { elements[$0] }
        }
        let sorted = places.indices.sorted { a, b in
            let order = compare(places[a], places[b], db)
            return order == 0 ? a < b : order < 0
        }
        var kept: [Int] = []
        for index in sorted where kept.isEmpty || compare(places[kept.last!], places[index], db) != 0 {
            kept.append(index)
        }
        return kept.sorted().map { elements[$0] }
    }

    private func compare(_ a: RowPlace, _ b: RowPlace, _ db: Database) -> CInt {
        a.key.withUnsafeBufferPointer { a in
            b.key.withUnsafeBufferPointer { b in
                amalgam_image_compare_keys(db.sqliteConnection, name, a.baseAddress, b.baseAddress)
            }
        }
    }
}

/// Reads the images of rows from a table.
struct RowReader {
    private let database: Database
    private let table: ImagedTable
    private let selection: Statement

    /// - Throws: `SQLITE_MISUSE` if SQL can't find the rows of the table.
    init(_ database: Database, _ table: ImagedTable) throws {
        try table.checkRowIDName()
        self.database = database
        self.table = table
        selection = try database.unnoticed { try database.makeStatement(sql: table.selection) }
    }

    /// Returns the current values of a place; nil if it contains no row.
    func image(at place: RowPlace) throws -> RowImage? {
        var image: RowImage?
        try database.unnoticed {
            try selection.run(binding: { place.bind(to: $0, first: 1) }) { row in
                image = try RowImage(row, columns: 0..<table.columns.count)
            }
        }
        return image
    }
}
