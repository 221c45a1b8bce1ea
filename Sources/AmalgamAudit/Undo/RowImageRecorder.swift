internal import AmalgamCore
import CAmalgam

/// Records the places whose rows change on a connection, with what they contained before.
///
/// The previous values come from SQLite's pre-update hook, and the values afterwards from the tables. So changes that are
/// rolled back in between don't count.
final class RowImageRecorder {
    private let database: Database
    private let includes: (_ table: String, _ isShadow: Bool) -> Bool
    private var pointer: OpaquePointer?

    private let lifetimes: TableLifetimes
    /// The tables that existed when the recording began.
    private let initialNames: Set<TableName>
    private let initialEndCount: Int
    /// The lifetimes of the tables when their first row changed.
    private var recordedLifetimes: [TableName: TableLifetime] = [:]

    /// Begins to record.
    ///
    /// - Throws: `SQLITE_NOMEM`, or an error of reading the schema.
    init(_ database: Database, _ includes: @escaping (_ table: String, _ isShadow: Bool) -> Bool) throws {
        self.database = database
        self.includes = includes
        lifetimes = try TableLifetimes.noting(database)
        initialNames = lifetimes.names
        initialEndCount = lifetimes.endCount
        let pointer = amalgam_images_create(database.hooks.pointer, Unmanaged.passUnretained(self).toOpaque()) {
            owner, table, isShadow in
            let recorder = Unmanaged<RowImageRecorder>.fromOpaque(owner!).takeUnretainedValue()
            return recorder.willRecord(String(cString: table!), isShadow: isShadow != 0) ? 1 : 0
        }
        guard let pointer else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        self.pointer = pointer
        database.observersDidChange()
    }

    private func willRecord(_ table: String, isShadow: Bool) -> Bool {
        guard includes(table, isShadow) else { return false }
        recordedLifetimes[TableName(table)] = lifetimes.lifetime(of: table)
        return true
    }

    /// Ends the recording. The images remain until ``discard()``.
    func stop() {
        guard let pointer else { return }
        amalgam_images_stop(pointer)
        database.observersDidChange()
    }

    /// Frees the images.
    func discard() {
        stop()
        free()
    }

    deinit { free() }

    private func free() {
        if let pointer { amalgam_images_free(pointer) }
        pointer = nil
    }

    /// A place that has changed.
    struct Place {
        let table: Int
        let place: RowPlace
        /// The values before the first change; nil if the place contained no row.
        let before: RowImage?
    }

    /// The changed places, in the order of their first changes.
    var places: [Place] {
        guard let pointer else { return [] }
        return (0..<amalgam_images_count(pointer)).map { index in
            let image = amalgam_images_get(pointer, index)
            return Place(
                table: Int(image.table),
                place: RowPlace(rowID: image.rowid, key: RowImage(image.key, image.key_length).bytes),
                before: image.is_present == 0 ? nil : RowImage(image.values, image.length))
        }
    }

    func tableName(_ table: Int) -> String { String(cString: amalgam_images_table_name(pointer, CInt(table))) }

    /// Whether a table was created since the recording began.
    func isNew(_ tableName: String) -> Bool {
        guard let lifetime = recordedLifetimes[TableName(tableName)] else { return false }
        return !initialNames.contains(TableName(tableName)) || lifetime.endNumber > initialEndCount
    }

    /// Whether a table was dropped or renamed since its first row changed, although there may be a new table with its name.
    func isGone(_ tableName: String) -> Bool {
        guard let lifetime = recordedLifetimes[TableName(tableName)] else { return false }
        return lifetimes.isOver(lifetime, of: tableName)
    }

    /// The lifetime of the table that now has a name.
    func lifetime(of tableName: String) -> TableLifetime { lifetimes.lifetime(of: tableName) }

    /// Whether the recorded columns of a table are still the first columns of the table.
    func fits(_ table: Int, _ current: ImagedTable) -> Bool {
        if amalgam_images_is_altered(pointer, CInt(table)) != 0 { return false }
        var names: [String] = []
        while let name = amalgam_images_column_name(pointer, CInt(table), CInt(names.count)) {
            names.append(String(cString: name))
        }
        return current.columns.starts(with: names)
    }
}
