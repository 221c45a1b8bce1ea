import Amalgam
import Foundation
import TestSupport
import Testing

/// The memory of the process. Tests that change a setting run in a separate process.
struct SQLiteMemoryTests {
    @Test func ourDefaultBuildDoesNotCount() throws {
        guard SQLiteBuild.hasOption("DEFAULT_MEMSTATUS=0") else { return }
        try DatabaseQueue().inDatabase { try $0.createTeams() }
        #expect(!SQLiteMemory.isCounted)
        #expect(SQLiteMemory.used == 0)
        #expect(SQLiteMemory.highest() == 0)
        #expect(try SQLiteMemory.status(.bytes).current == 0)
        #expect(try SQLiteMemory.status(.bytes).highest == 0)
    }

    @Test func onceInUseItIsTooLate() throws {
        _ = try DatabaseQueue()
        expectError(.SQLITE_MISUSE, "SQLite is in use: count(_:) must be called before anything else.") {
            try SQLiteMemory.count(true)
        }
    }

    @Test func counters() throws {
        for counter in [
            SQLiteMemory.Counter.bytes, .allocations, .allocationSize, .pageCacheSlots, .pageCacheOverflow,
            .pageCacheSize,
        ] {
            #expect(try SQLiteMemory.status(counter).current >= 0)
        }
        expectError(.SQLITE_MISUSE, "SQLite has no counter with the number 99.") {
            _ = try SQLiteMemory.status(SQLiteMemory.Counter(rawValue: 99))
        }
        #expect(SQLiteMemory.release(.max) >= 0)
        #expect(SQLiteMemory.release(-1) == 0)
    }

    @Test func counting() async {
        await #expect(processExitsWith: .success) {
            try SQLiteMemory.count(true)
            #expect(SQLiteMemory.isCounted)
            try DatabaseQueue().inDatabase { db in
                try db.createTeams()
                #expect(SQLiteMemory.used > 4096)
                #expect(SQLiteMemory.highest(resets: true) >= SQLiteMemory.used)
                #expect(try SQLiteMemory.status(.allocations).current > 0)
            }
        }
    }

    @Test func limits() async {
        await #expect(processExitsWith: .success) {
            try SQLiteMemory.count(true)
            #expect(SQLiteMemory.softLimit == 0)
            #expect(SQLiteMemory.hardLimit == 0)
            try DatabaseQueue().inDatabase { db in
                SQLiteMemory.hardLimit = 2_000_000
                #expect(SQLiteMemory.hardLimit == 2_000_000)
                SQLiteMemory.softLimit = 5_000_000
                #expect(SQLiteMemory.softLimit == 2_000_000)
                let error = #expect(throws: DatabaseError.self) {
                    _ = try Data.fetchOne(db, sql: "SELECT CAST(zeroblob(5000000) AS TEXT)")
                }
                #expect(error?.resultCode == .SQLITE_NOMEM)
                SQLiteMemory.hardLimit = -1
                #expect(SQLiteMemory.hardLimit == 0)
                let isText = try Bool.fetchOne(db, sql: "SELECT length(CAST(zeroblob(5000000) AS TEXT)) IS NOT NULL")
                #expect(isText == true)
            }
        }
    }
}
