internal import AmalgamCore
internal import AmalgamSandbox
internal import AmalgamSessions
import CAmalgam

/// Writes rows without triggers and foreign key actions, and checks the foreign keys at the end.
struct RowReplacement {
    /// What prevents the replacement. If it isn't empty, the caller must roll back the savepoint.
    struct Obstacles {
        var conflicts: [ChangeConflict] = []
        var violations: [UndoConflict.ViolatingRow] = []
    }

    private let database: Database
    private let tables: [ImagedTable]

    init(_ database: Database, _ tables: [ImagedTable]) {
        self.database = database
        self.tables = tables
    }

    /// Writes the rows.
    ///
    /// - Parameters:
    ///   - targets: the rows.
    ///   - includes: nil if no triggers fire. Otherwise, triggers fire, and this closure returns for which tables their
    ///     changes are taken back.
    func write(
        _ targets: [RowWriter.Target],
        firingTriggersOf includes: ((_ table: String, _ isShadow: Bool) -> Bool)? = nil
    ) throws -> Obstacles {
        var obstacles = Obstacles()
        let firesTriggers = try database.isEnabled(.triggers)
        let violationCount = try withDeferredForeignKeys {
            if let includes, firesTriggers {
                obstacles.conflicts = try writeFiringTriggers(targets, includes)
            } else {
                obstacles.conflicts = try writeWithoutTriggers(tables, targets)
            }
        }
        if violationCount > 0 && obstacles.conflicts.isEmpty {
            obstacles.conflicts = [ChangeConflict(kind: .foreignKey(violationCount: violationCount))]
            obstacles.violations = try UndoConflict.ViolatingRow.all(database)
        }
        return obstacles
    }

    private func writeWithoutTriggers(
        _ tables: [ImagedTable], _ targets: [RowWriter.Target]
    ) throws -> [ChangeConflict] {
        let wereFired = try database.isEnabled(.triggers)
        if wereFired { try database.setEnabled(.triggers, false) }
        defer { if wereFired { try? database.setEnabled(.triggers, true) } }
        return try RowWriter(database, tables).write(targets).map { target in
            tables[target.table].conflict(.constraint, target.place, from: target.current, to: target.expected, nil)
        }
    }

    /// Triggers may also write recorded tables. Their changes of these are taken back, because the action contains the
    /// changes that they have made when it was performed. Their changes of virtual tables remain.
    private func writeFiringTriggers(
        _ targets: [RowWriter.Target], _ includes: @escaping (String, Bool) -> Bool
    ) throws -> [ChangeConflict] {
        let recorder = try RowImageRecorder(database, includes)
        defer { recorder.discard() }
        _ = try RowWriter(database, tables).write(targets)
        recorder.stop()
        let (tables, corrections) = try corrections(targets, recorder)
        return try writeWithoutTriggers(tables, corrections)
    }

    /// The places whose content isn't the expected one, or that it was before if triggers alone have changed it.
    private func corrections(
        _ targets: [RowWriter.Target], _ recorder: RowImageRecorder
    ) throws -> ([ImagedTable], [RowWriter.Target]) {
        var tables = tables
        var wanted = Dictionary(grouping: targets, by: \.table)
        for place in recorder.places {
            let name = recorder.tableName(place.table)
            var index = tables.firstIndex { $0.name.equalsIgnoringCase(name) }
            if index == nil, let table = try ImagedTable(database, name) {
                index = tables.count
                tables.append(table)
            }
            guard let index else { continue }
            wanted[index, default: []].append(
                RowWriter.Target(table: index, place: place.place, current: nil, expected: place.before))
        }
        var corrections: [RowWriter.Target] = []
        for (index, targets) in wanted.sorted(by: { $0.key < $1.key }) {
            let reader = try RowReader(database, tables[index])
            for target in try tables[index].distinct(targets, database, place: \.place) {
                let current = try reader.image(at: target.place)
                if current == target.expected { continue }
                corrections.append(
                    RowWriter.Target(
                        table: index, place: target.place, current: current, expected: target.expected))
            }
        }
        return (tables, corrections)
    }

    private func withDeferredForeignKeys(_ body: () throws -> Void) throws -> Int {
        let state = amalgam_images_begin_foreign_keys(database.sqliteConnection)
        do {
            try body()
        } catch {
            _ = amalgam_images_end_foreign_keys(database.sqliteConnection, state)
            throw error
        }
        return Int(clamping: amalgam_images_end_foreign_keys(database.sqliteConnection, state))
    }
}
