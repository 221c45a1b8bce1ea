import Amalgam
import Foundation

// Computed, because optional globals of types that can't be copied can't be borrowed.
var info: VirtualTableIndexInfo { fatalError() }
var arguments: VirtualTableArguments { fatalError() }
var values: VirtualTableValues { fatalError() }

nonisolated(unsafe) var notes: [Int64: Note] = [:]
let nextID: Int64 = 1
let header: [String] = []
let series = DatabaseTableFunction("series", columns: ["value"]) { _ in 1...10 }
let weekdays = DatabaseModule("weekdays") { _ in Weekdays() }

/// A cursor without rows.
struct NoRows: VirtualTableCursor {
    func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) {}
    func next() -> Bool { false }
    func column(_ column: Int, _ result: borrowing SQLiteResult) {}
}

final class Weekdays: VirtualTable {
    let schema = "CREATE TABLE x(name TEXT, isWeekend INTEGER)"
    func open() -> NoRows { NoRows() }
}

final class BookTable: VirtualTable {
    let schema = "CREATE TABLE x(title TEXT)"
    func open() -> NoRows { NoRows() }
}

final class CSVTable: VirtualTable {
    let schema = "CREATE TABLE x(line TEXT)"
    init(_ declaration: VirtualTableDeclaration) throws {}
    func open() -> NoRows { NoRows() }
}

final class NoteTable: VirtualTable {
    let schema = "CREATE TABLE x(text TEXT)"
    init(_ declaration: VirtualTableDeclaration) throws {}
    init(creating declaration: VirtualTableDeclaration) throws {}
    func open() -> NoRows { NoRows() }
}

/// A table in memory. Examples add conformances.
final class PlayerTable: VirtualTable {
    let schema = "CREATE TABLE x(name TEXT, score INTEGER)"
    var tableName = ""
    var players: [Int64: Player] = [:]
    var savedPlayers: [Int64: Player] = [:]
    var states: [Int: [Int64: Player]] = [:]
    var nextID: Int64 { (players.keys.max() ?? 0) + 1 }
    func open() -> NoRows { NoRows() }
}

/// A cursor over the rows of a table in memory.
struct PlayerCursor {
    enum Plan { case all, byName }
    let table: PlayerTable
    var rows: [Player] = []
}

/// A file with comma-separated values.
struct CSVReader: Sequence {
    init(path: String) throws {}
    func makeIterator() -> IndexingIterator<[[String]]> { [].makeIterator() }
}

/// The lines of a file.
final class LineReader {
    init(path: String) throws {}
    func readLine() throws -> String? { nil }
}
