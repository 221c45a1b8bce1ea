import Amalgam
import AmalgamCore
import Testing

/// Virtual tables that overload functions: the right function is called, or an error is thrown.
@Suite struct OverloadedFunctionFaults {
    /// Connecting such a table registers its functions with SQLite.
    @Test(arguments: Weather.allocations([.memory, .pool]))
    func connect(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.add(module: Scale.module)
                attempt.note(try String.fetchAll(db, sql: "SELECT label(value, 'km') FROM scale WHERE value < 3"))
            }
        }
    }

    /// Outside of the table, a function name has its usual meaning.
    @Test(arguments: Weather.memory)
    func overload(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try attempt.calmly {
                    db.add(function: DatabaseFunction("label", argumentCount: 2) { _ in "elsewhere" })
                    try db.add(module: Scale.module)
                }
                attempt.note(try String.fetchAll(db, sql: "SELECT label(value, 'km') FROM scale"))
                attempt.note(try String.fetchAll(db, sql: "SELECT label(id, 'km') FROM team"))
                attempt.note(try Row.fetchAll(db, sql: "SELECT label(value, name) FROM scale, team ORDER BY value, id"))
            }
        }
    }

    /// A function that is a constraint of the plan.
    @Test(arguments: Weather.memory)
    func constraint(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try attempt.calmly { try db.add(module: Scale.module) }
                attempt.note(try Int.fetchAll(db, sql: "SELECT value FROM scale WHERE nearby(value, 3)"))
                attempt.note(
                    try Row.fetchAll(
                        db, sql: "SELECT team.id, value FROM team JOIN scale ON nearby(value, team.id) ORDER BY 1, 2"))
            }
        }
    }

    /// Arguments that are converted, and results that SQLite copies.
    @Test(arguments: Weather.memory)
    func texts(weather: Weather) throws {
        let setUp = { (db: Database) in try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a)") }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try attempt.calmly { try db.add(module: Scale.module) }
                let sql = "SELECT label(value, ?) FROM scale"
                attempt.note(try String.fetchAll(db, sql: sql, arguments: [String(repeating: "é", count: 300)]))
            }
        }
    }

    /// A function provides the rows that a statement stores: all of them are stored, or none.
    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal]))
    func source(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try attempt.calmly { try db.add(module: Scale.module) }
                try db.execute(sql: "INSERT INTO team (name) SELECT label(value, 'th team') FROM scale")
            }
        }
    }
}

/// The numbers from 1 to 5.
private final class Scale: FunctionOverloadingVirtualTable {
    enum Plan: Hashable { case all, upTo }

    let schema = "CREATE TABLE x(value INTEGER)"

    static let module = DatabaseModule("scale") { _ in Scale() }

    let functions = [
        VirtualTableFunction("label", argumentCount: 2) { arguments, result in
            let (value, unit): (Int, String) = (try arguments[0], try arguments[1])
            result.set("\(value) \(unit)")
        },
        VirtualTableFunction("nearby", argumentCount: 2, isConstraint: true) { arguments, result in
            let (value, limit): (Int, Int) = (try arguments[0], try arguments[1])
            result.set(value <= limit)
        },
    ]

    func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan? {
        let nearby = functions[1].name
        guard let limit = info.constraints.first(where: { $0.functionName == nearby && $0.isUsable }) else {
            return .all
        }
        try info.use(limit, omit: true)
        return .upTo
    }

    func open() -> Cursor { Cursor() }

    struct Cursor: VirtualTableCursor {
        private var value = 0
        private var limit = 5

        mutating func filter(_ plan: Plan, _ arguments: borrowing VirtualTableArguments) throws {
            value = 0
            limit = try plan == .upTo ? arguments[0] : 5
        }

        mutating func next() -> Bool {
            value += 1
            return value <= limit
        }

        func column(_ index: Int, _ result: borrowing SQLiteResult) { result.set(value) }

        var rowID: Int64 { Int64(value) }
    }
}
