import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Random programs over tables of all kinds: an action is undone and redone byte for byte, or not at all.
@Suite struct UndoModelTests {
    @Test(arguments: seeds(30)) func undoAndRedoRestoreAllTables(seed: UInt64) throws {
        var program = try UndoProgram(seed: seed, firesTriggers: seed.isMultiple(of: 2))
        try program.run(steps: 24, foreignWrites: false)
    }

    @Test(arguments: seeds(30)) func undoNeverOverwritesTheWorkOfOthers(seed: UInt64) throws {
        var program = try UndoProgram(seed: seed &+ 1 << 32, firesTriggers: seed.isMultiple(of: 2))
        try program.run(steps: 24, foreignWrites: true)
    }
}

/// The content of the tables before and after an action.
struct ModelAction {
    var before: ModelContent
    var after: ModelContent

    enum Outcome {
        /// Some rows have changed since.
        case conflict
        /// The content after the replay, if constraints allow it.
        case content(ModelContent)
    }

    /// Undoes the action in a model: an update restores the changed cells, if they have the values of the action.
    func undone(in current: ModelContent) -> Outcome { Self.replay(from: after, to: before, in: current) }
    func redone(in current: ModelContent) -> Outcome { Self.replay(from: before, to: after, in: current) }

    private static func replay(from: ModelContent, to: ModelContent, in current: ModelContent) -> Outcome {
        var result = current
        for (table, rows) in from.rows {
            for place in Set(rows.keys).union(to.rows[table]!.keys) {
                let (old, new) = (rows[place], to.rows[table]![place])
                if old == new { continue }
                let now = current.rows[table]![place]
                switch (old, new, now) {
                case (nil, let new?, nil): result.rows[table]![place] = new
                case (let old?, nil, let now?) where old == now: result.rows[table]![place] = nil
                case (let old?, let new?, let now?):
                    for column in old.indices where old[column] != new[column] {
                        if now[column] != old[column] { return .conflict }
                        result.rows[table]![place]![column] = new[column]
                    }
                default: return .conflict
                }
            }
        }
        return .content(result)
    }
}

/// One random program, and the model of its history.
private struct UndoProgram {
    private let queue: DatabaseQueue
    private let history: UndoHistory
    private let firesTriggers: Bool
    private var maker: StatementMaker
    private var content: ModelContent
    private var undoable: [ModelAction] = []
    private var redoable: [ModelAction] = []
    private var trace: [String] = []

    init(seed: UInt64, firesTriggers: Bool) throws {
        queue = try DatabaseQueue()
        history = UndoHistory(firesTriggers: firesTriggers)
        self.firesTriggers = firesTriggers
        maker = StatementMaker(seed: seed)
        content = try queue.write { db in
            try Self.createTables(db)
            return try ModelContent(db)
        }
        trace.append("seed \(seed)")
    }

    private static func createTables(_ db: Database) throws {
        for table in ModelTable.all { try db.execute(sql: table.sql) }
        try db.execute(sql: ModelTable.triggers)
    }

    mutating func run(steps: Int, foreignWrites: Bool) throws {
        do {
            for _ in 0..<steps { try step(foreignWrites) }
        } catch {
            Issue.record("\(error)\n\(description)")
        }
    }

    private mutating func step(_ foreignWrites: Bool) throws {
        switch Int.random(in: 0..<10, using: &maker.generator) {
        case 0...3: try perform()
        case 4...6: try replay(.undo)
        case 7...8: try replay(.redo)
        default: if foreignWrites { try write() } else { try perform() }
        }
        try checkFullText()
    }

    /// Runs statements, of which some fail, as an action. A conflict clause may roll all of them back.
    private mutating func perform() throws {
        let statements = (1...maker.pick([1, 2, 3, 6])).map { _ in maker.statement() }
        let undoesSome = maker.chance(20)
        trace.append("perform " + statements.joined(separator: "; ") + (undoesSome ? " (partly rolled back)" : ""))
        let before = content
        let succeeds: Bool
        do {
            try queue.write { db in
                try history.perform(db) {
                    for statement in statements {
                        try db.inSavepoint {
                            if (try? db.execute(sql: statement)) == nil && !db.isInsideTransaction {
                                throw DatabaseError(resultCode: .SQLITE_ABORT)
                            }
                            return undoesSome && statement.count.isMultiple(of: 3) ? .rollback : .commit
                        }
                    }
                }
            }
            succeeds = true
        } catch is DatabaseError {
            succeeds = false
        }
        content = try queue.read { try ModelContent($0) }
        if !succeeds { return expectEqual(before, "a failed action") }
        if content == before { return }
        undoable.append(ModelAction(before: before, after: content))
        redoable = []
    }

    private mutating func write() throws {
        let statement = maker.statement()
        trace.append("other code: \(statement)")
        try? queue.write { db in try db.execute(sql: statement) }
        content = try queue.read { try ModelContent($0) }
    }

    private enum Direction {
        case undo, redo
    }

    private mutating func replay(_ direction: Direction) throws {
        trace.append("\(direction)")
        let action = direction == .undo ? undoable.last : redoable.last
        let expected = direction == .undo ? action?.undone(in: content) : action?.redone(in: content)
        do {
            let didReplay = try queue.write { db in
                try direction == .undo ? history.undo(db) : history.redo(db)
            }
            guard didReplay == (action != nil), let action else {
                return #expect(didReplay == (action != nil), "\(description)")
            }
            guard case .content(let wanted)? = expected else {
                Issue.record("a conflict wasn't found\n\(description)")
                content = try queue.read { try ModelContent($0) }
                return
            }
            expectEqual(wanted, "\(direction)")
            content = try queue.read { try ModelContent($0) }
            if direction == .undo {
                redoable.append(undoable.removeLast())
            } else {
                undoable.append(redoable.removeLast())
            }
            _ = action
        } catch let conflict as UndoConflict {
            try check(conflict, expected)
        }
    }

    /// A conflict names rows of tables that the action has changed, and nothing has changed.
    private func check(_ conflict: UndoConflict, _ expected: ModelAction.Outcome?) throws {
        expectEqual(content, "after a conflict")
        #expect(!conflict.tableNames.isEmpty, "\(conflict)\n\(description)")
        #expect(
            conflict.conflicts.allSatisfy { $0.change?.primaryKey.isEmpty == false || !conflict.violatingRows.isEmpty },
            "\(conflict)\n\(description)")
        guard case .content(let wanted)? = expected else { return }
        // The rows are as the action has left them: a constraint must be the reason.
        #expect(try !Self.allows(wanted), "no reason for \(conflict)\n\(description)")
    }

    /// Whether the constraints of the tables allow a content.
    private static func allows(_ content: ModelContent) throws -> Bool {
        let queue = try DatabaseQueue()
        return try queue.write { db in
            try createTables(db)
            try db.execute(sql: "PRAGMA defer_foreign_keys = 1")
            try db.setEnabled(.triggers, false)
            do {
                for table in ModelTable.all {
                    for (place, cells) in content.rows[table.name]! { try insert(db, table, place, cells) }
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                return false
            }
            return try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty
        }
    }

    private static func insert(_ db: Database, _ table: ModelTable, _ place: String, _ cells: [String]) throws {
        let rowID = table.rowID == "rowid" ? [("rowid", place)] : []
        let values = rowID + zip(table.columns, cells.map(literal))
        try db.execute(
            sql: """
                INSERT OR ABORT INTO \(table.name) (\(values.map { "\"\($0.0)\"" }.joined(separator: ", ")))
                VALUES (\(values.map(\.1).joined(separator: ", ")))
                """)
    }

    private static func literal(_ cell: String) -> String {
        let parts = cell.split(separator: " ").map(String.init)
        switch parts[0] {
        case "integer": return parts[1] == "\(Int64.min)" ? "(-9223372036854775807 - 1)" : parts[1]
        case "real":
            let real = Double(bitPattern: UInt64(parts[1])!)
            return real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
        case "text": return "CAST(x'\(parts.count > 1 ? parts[1] : "")' AS TEXT)"
        case "blob": return "x'\(parts.count > 1 ? parts[1] : "")'"
        default: return "NULL"
        }
    }

    /// The full-text table is in step if the triggers fire.
    private func checkFullText() throws {
        guard firesTriggers else { return }
        #expect(throws: Never.self, "\(description)") {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO words(words, rank) VALUES ('integrity-check', 1)")
            }
        }
    }

    private func expectEqual(_ wanted: ModelContent, _ what: String) {
        guard let found = try? queue.read({ try ModelContent($0) }), found != wanted else { return }
        Issue.record("\(what): \(found.differences(from: wanted).joined(separator: "\n"))\n\(description)")
    }

    private var description: String { trace.joined(separator: "\n") }
}
