internal import AmalgamCore
import CAmalgam

/// Writes rows, so that places have the content that they must have.
///
/// Rows are deleted, updated and inserted, in this order, so that a unique value is free when a row receives it. Rows that
/// exchange unique values are deleted and inserted again.
struct RowWriter {
    /// The content that a place must have.
    struct Target {
        /// An index in `tables`.
        let table: Int
        let place: RowPlace
        let current: RowImage?
        let expected: RowImage?
    }

    let tables: [ImagedTable]
    private let statements: Statements

    init(_ database: Database, _ tables: [ImagedTable]) {
        self.tables = tables
        statements = Statements(database)
    }

    /// Writes the rows.
    ///
    /// - Returns: the rows that can't be written because they violate a constraint.
    /// - Throws: any other error of SQLite.
    func write(_ targets: [Target]) throws -> [Target] {
        for target in targets where target.current != nil && target.expected == nil { try delete(target) }
        let updates = targets.filter { $0.current != nil && $0.expected != nil }
        var blocked = try updates.filter { target in try !succeeds { try update(target) } }
        // The last row of a chain, such as `u = u + 1`, is free to move, and then the one before it.
        blocked = try blocked.reversed().filter { target in try !succeeds { try update(target) } }
        for target in blocked { try delete(target) }
        let insertions = blocked.reversed() + targets.filter { $0.current == nil && $0.expected != nil }
        return try insertions.filter { target in try !succeeds { try insert(target) } }
    }

    private func succeeds(_ write: () throws -> Void) throws -> Bool {
        do {
            try write()
            return true
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CONSTRAINT && error.extendedResultCode != .SQLITE_CONSTRAINT_TRIGGER
        {
            return false
        }
    }

    private func delete(_ target: Target) throws {
        let statement = try statements[tables[target.table].deletion]
        try statement.run(binding: { target.place.bind(to: $0, first: 1) })
    }

    private func update(_ target: Target) throws {
        let (old, new) = (target.current!.values, target.expected!.values)
        let changed = new.indices.filter { old[$0] != new[$0] }
        if changed.isEmpty { return }
        try statements[tables[target.table].update(changed)].run(binding: { statement in
            let code = changed.map { new[$0] }.bind(to: statement, first: 1)
            return code == SQLITE_OK ? target.place.bind(to: statement, first: changed.count + 1) : code
        })
    }

    private func insert(_ target: Target) throws {
        let table = tables[target.table]
        try statements[table.insertion].run(binding: { statement in
            let code = table.insertsRowID ? target.place.bind(to: statement, first: 1) : SQLITE_OK
            if code != SQLITE_OK { return code }
            return target.expected!.values.bind(to: statement, first: table.insertsRowID ? 2 : 1)
        })
    }

    /// The compiled statements, by their SQL.
    private final class Statements {
        private let database: Database
        private var statements: [ExactString: Statement] = [:]

        init(_ database: Database) { self.database = database }

        subscript(sql: String) -> Statement {
            get throws {
                if let statement = statements[ExactString(sql)] { return statement }
                let statement = try database.makeStatement(sql: sql)
                statements[ExactString(sql)] = statement
                return statement
            }
        }
    }
}
