import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import TestSupport
import Testing

/// A table in memory that implements all features, and records its calls.
final class PlayerTable: UpdatableVirtualTable, SavepointVirtualTable, RenamableVirtualTable {
    struct Player: Equatable {
        var name: String?
        var score: Int?
    }

    enum Plan: Hashable {
        case all, byID, byNames
    }

    /// State shared by all connections of a table.
    final class Store: @unchecked Sendable {
        // Sendable: one connection uses it, on one thread.
        var players: [Int64: Player] = [1: .init(name: "Anna", score: 10), 2: .init(name: "Bo", score: 20)]
        var failures: Set<String> = []
        let journal = Journal()
        let tables = Census()
        let cursors = Census()

        /// Records a call, which fails if the test requests it.
        func note(_ call: String) throws {
            journal.write(call)
            guard let name = call.split(separator: " ").first, failures.contains(String(name)) else { return }
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_VTAB, message: "no \(name)")
        }
    }

    let schema = "CREATE TABLE x(name TEXT, score INTEGER)"
    let options: VirtualTableSafetyOptions = [.supportsConstraints]
    let store: Store
    private let life: Census.Member
    private var savepoints: [Int: [Int64: Player]] = [:]

    init(_ store: Store) {
        self.store = store
        life = store.tables.birth()
    }

    static func module(_ store: Store, _ name: String = "players") -> DatabaseModule {
        DatabaseModule(
            name,
            create: { declaration in
                let arguments = declaration.arguments.joined(separator: "|")
                try store.note("create \(declaration.schemaName).\(declaration.tableName) \(arguments)")
                return PlayerTable(store)
            },
            connect: { declaration in
                try store.note("connect \(declaration.moduleName) \(declaration.tableName)")
                return PlayerTable(store)
            })
    }

    // MARK: Reading

    func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan? {
        try store.note("bestIndex")
        if let id = info.constraint(on: nil, .equal) {
            try info.use(id, omit: true)
            info.estimatedCost = 1
            info.isUnique = true
            return .byID
        }
        if let name = info.constraint(on: 0, .equal), info.isList(name) {
            try info.use(name, omit: true, inList: true)
            info.estimatedCost = 5
            return .byNames
        }
        info.estimatedCost = 1000
        return .all
    }

    func open() throws -> Cursor {
        try store.note("open")
        return Cursor(store: store, life: store.cursors.birth())
    }

    struct Cursor: VirtualTableCursor {
        let store: Store
        let life: Census.Member
        private var ids: [Int64] = []
        private var index = -1

        init(store: Store, life: Census.Member) {
            self.store = store
            self.life = life
        }

        mutating func filter(_ plan: Plan, _ arguments: borrowing VirtualTableArguments) throws {
            try store.note("filter \(plan)")
            index = -1
            let all = store.players.keys.sorted()
            switch plan {
            case .all: ids = all
            case .byID:
                let id: Int64? = try arguments[0]
                ids = all.filter { $0 == id }
            case .byNames:
                let names: [String] = try arguments.list(at: 0)
                ids = all.filter { store.players[$0]?.name.map(names.contains) ?? false }
            }
        }

        mutating func next() throws -> Bool {
            try store.note("next")
            index += 1
            return index < ids.count
        }

        func column(_ index: Int, _ result: borrowing SQLiteResult) throws {
            try store.note("column \(index)")
            if result.isUnchangedColumn { return }
            let player = store.players[ids[self.index]]
            if index == 0 { result.set(player?.name) } else { result.set(player?.score) }
        }

        var rowID: Int64 {
            get throws {
                try store.note("rowID")
                return ids[index]
            }
        }
    }

    // MARK: Writing

    func insert(_ values: borrowing VirtualTableValues) throws -> Int64 {
        let id = try values.rowID ?? (store.players.keys.max() ?? 0) + 1
        try store.note("insert \(id) \(values.conflictResolution)")
        if store.players[id] != nil && values.conflictResolution != .replace {
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_ROWID, message: "there is a player \(id)")
        }
        store.players[id] = Player(name: try values[0], score: try values[1])
        return id
    }

    func update(_ id: Int64, _ values: borrowing VirtualTableValues) throws {
        let newID = try values.rowID ?? id
        try store.note("update \(id) to \(newID), unchanged: \(values.isUnchanged(0)) \(values.isUnchanged(1))")
        var player = store.players[id] ?? Player()
        if !values.isUnchanged(0) { player.name = try values[0] }
        if !values.isUnchanged(1) { player.score = try values[1] }
        store.players[id] = nil
        store.players[newID] = player
    }

    func delete(_ id: Int64) throws {
        try store.note("delete \(id)")
        store.players[id] = nil
    }

    // MARK: Transactions and schema

    func begin() throws {
        try store.note("begin")
        savepoints = [-1: store.players]
    }

    func sync() throws { try store.note("sync") }

    func commit() {
        store.journal.write("commit")
        savepoints = [:]
    }

    func rollback() {
        store.journal.write("rollback")
        store.players = savepoints[-1] ?? store.players
        savepoints = [:]
    }

    func savepoint(_ number: Int) throws {
        try store.note("savepoint \(number)")
        savepoints[number] = store.players
    }

    func release(_ number: Int) throws { try store.note("release \(number)") }

    func rollback(to number: Int) throws {
        try store.note("rollbackTo \(number)")
        store.players = savepoints[number] ?? store.players
    }

    func rename(to tableName: String) throws { try store.note("rename \(tableName)") }

    func destroy() throws { try store.note("destroy") }
}

/// Runs a test with a table `player` of the module `players`.
func withPlayers(
    _ kind: DatabaseKind = .memory, _ test: (Database, PlayerTable.Store) throws -> Void
) throws {
    let store = PlayerTable.Store()
    try kind.run { db in
        try db.add(module: PlayerTable.module(store))
        try db.execute(sql: "CREATE VIRTUAL TABLE player USING players(a, 'b c')")
        _ = store.journal.read()
        try test(db, store)
    }
    // All instances were released.
    #expect(store.tables.alive == 0)
    #expect(store.cursors.alive == 0)
}
