import Amalgam
import CAmalgam
import Foundation

// A process that runs the SQL it reads from its standard input, line by line, and answers "ok" or "error". Tests use it
// to check what one process sees of another.
//
// usage: amalgam-external-writer PATH
//
// After the line ".migrate COUNT", it runs as many migrations, each of which creates a table.
//
// After the line ".stop", the process stops itself (SIGSTOP) after each write to a file, and once more when the next
// line is done, before it answers.

enum Stops {
    // Only one thread uses this.
    nonisolated(unsafe) static var areOn = false

    static func stop() {
        if areOn { raise(SIGSTOP) }
    }

    typealias Write = @convention(c) (CInt, UnsafeRawPointer?, Int) -> Int
    typealias WriteAt = @convention(c) (CInt, UnsafeRawPointer?, Int, off_t) -> Int

    /// https://sqlite.org/c3ref/vfs.html, at xSetSystemCall.
    static func install() {
        replace("write", with: unsafeBitCast(stoppingWrite, to: sqlite3_syscall_ptr.self))
        replace("pwrite", with: unsafeBitCast(stoppingWriteAt, to: sqlite3_syscall_ptr.self))
        replace("pwrite64", with: unsafeBitCast(stoppingWriteAt, to: sqlite3_syscall_ptr.self))
    }

    private static let stoppingWrite: Write = { file, bytes, count in
        defer { stop() }
        return write(file, bytes, count)
    }

    private static let stoppingWriteAt: WriteAt = { file, bytes, count, offset in
        defer { stop() }
        return pwrite(file, bytes, count, offset)
    }

    private static func replace(_ name: String, with function: sqlite3_syscall_ptr) {
        guard let vfs = sqlite3_vfs_find(nil), vfs.pointee.xGetSystemCall(vfs, name) != nil else { return }
        _ = vfs.pointee.xSetSystemCall(vfs, name, function)
    }
}

func answer(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func migrate(_ queue: DatabaseQueue, _ count: Int) throws {
    var migrator = DatabaseMigrator()
    for number in 1...count {
        migrator.registerMigration("v\(number)") { db in try db.execute(sql: "CREATE TABLE t\(number) (a)") }
    }
    try migrator.migrate(queue)
}

func perform(_ line: String, _ queue: DatabaseQueue) throws {
    if line.hasPrefix(".migrate "), let count = Int(line.dropFirst(9)) { return try migrate(queue, count) }
    try queue.inDatabase { try $0.execute(sql: line) }
}

func run(_ path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(600)
    configuration.allowsUnsafeTransactions = true
    Stops.install()
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    while let line = readLine() {
        if line == ".stop" {
            Stops.areOn = true
            continue
        }
        let result = Result { try perform(line, queue) }
        Stops.stop()
        Stops.areOn = false
        switch result {
        case .success: answer("ok")
        case .failure(let error): answer("error: \(error)")
        }
    }
}

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: amalgam-external-writer PATH\n".utf8))
    exit(2)
}
do {
    try run(CommandLine.arguments[1])
} catch {
    FileHandle.standardError.write(Data("amalgam-external-writer: \(error)\n".utf8))
    exit(1)
}
