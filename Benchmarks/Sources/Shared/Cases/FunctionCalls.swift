import Workload

/// A million calls of a Swift function, in the fastest form of each library.
struct FunctionCalls: Case {
    static let name = "function-calls"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try .numbers(folder, function: fastAffine)
    }

    func run() throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: FUNCTIONS_SELECT) } ?? 0
    }
}

/// A million calls of a Swift function that receives its arguments as an array, which both libraries have.
struct FunctionCallsByArray: Case {
    static let name = "function-calls-by-array"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try .numbers(folder, function: affine)
    }

    func run() throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: FUNCTIONS_SELECT) } ?? 0
    }
}

var affine: DatabaseFunction {
    DatabaseFunction(FUNCTIONS_NAME, argumentCount: 1, pure: true) { values in
        guard let integer = Int.fromDatabaseValue(values[0]) else { return nil }
        return 2 * integer + 1
    }
}

extension DatabaseQueue {
    fileprivate static func numbers(_ folder: Folder, function: DatabaseFunction) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(function: function) }
        return try DatabaseQueue(path: folder.numbers(), configuration: configuration)
    }
}
