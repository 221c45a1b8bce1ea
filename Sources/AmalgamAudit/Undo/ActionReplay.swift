internal import AmalgamCore
internal import AmalgamSessions

/// Undoes or redoes a recorded action. All rows are compared before the first one is written.
struct ActionReplay {
    enum Direction {
        case undo, redo
    }

    let database: Database
    let action: RecordedAction
    let direction: Direction
    /// The tables as they are now, with the indexes of `action.tables`.
    let tables: [ImagedTable]

    /// - Throws: `SQLITE_SCHEMA` if a table was dropped, renamed, or has other columns.
    init(_ database: Database, _ action: RecordedAction, _ direction: Direction) throws {
        self.database = database
        self.action = action
        self.direction = direction
        let lifetimes = try TableLifetimes.noting(database)
        tables = try zip(action.tables, action.lifetimes).map { recorded, lifetime in
            guard let table = try ImagedTable(database, recorded.name),
                !lifetimes.isOver(lifetime, of: recorded.name)
            else { throw Self.schemaChange(recorded, "was dropped or renamed") }
            guard table.fits(recorded) else { throw Self.schemaChange(recorded, "has other columns or another key") }
            return table
        }
    }

    private static func schemaChange(_ table: ImagedTable, _ what: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: """
                The action can't be undone or redone: the table \(table.name) \(what) since. Call removeAll() after such \
                a change of the schema.
                """)
    }

    /// Changes the rows in the current savepoint, which the caller must roll back if there are obstacles.
    ///
    /// - Parameters:
    ///   - firesTriggers: whether triggers fire.
    ///   - includes: returns whether the rows of a table belong to actions.
    func run(
        firesTriggers: Bool, _ includes: @escaping (_ table: String, _ isShadow: Bool) -> Bool
    ) throws -> RowReplacement.Obstacles {
        var conflicts: [ChangeConflict] = []
        let targets = try targets(&conflicts)
        if !conflicts.isEmpty { return RowReplacement.Obstacles(conflicts: conflicts) }
        return try RowReplacement(database, tables).write(targets, firingTriggersOf: firesTriggers ? includes : nil)
    }
}
