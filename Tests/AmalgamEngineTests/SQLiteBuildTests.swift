import Amalgam
@testable import AmalgamEngine
import CAmalgam
import Foundation
import TestSupport
import Testing

struct SQLiteBuildTests {
    @Test func itSpeaksOfTheLibraryThatRuns() throws {
        try DatabaseKind.memory.run { db in
            let version = try String.fetchOne(db, sql: "SELECT sqlite_version()")
            let sourceID = try String.fetchOne(db, sql: "SELECT sqlite_source_id()")
            #expect(SQLiteBuild.version == version)
            #expect(SQLiteBuild.sourceID == sourceID)
        }
        #expect(SQLiteBuild.versionNumber == Int(Database.sqliteLibVersionNumber))
        let parts = SQLiteBuild.version.split(separator: ".").compactMap { Int($0) }
        #expect(SQLiteBuild.versionNumber == parts[0] * 1_000_000 + parts[1] * 1000 + parts[2])
    }

    @Test func itTellsItsProvenance() {
        #expect(SQLiteBuild.checkIn.count == 64)
        #expect(SQLiteBuild.sourceID.contains(SQLiteBuild.checkIn))
        #expect(!SQLiteBuild.origin.isEmpty)
        #expect(!SQLiteBuild.verification.isEmpty)
    }

    @Test(arguments: [
        "ENABLE_FTS3", "ENABLE_FTS5", "ENABLE_RTREE", "ENABLE_SNAPSHOT", "ENABLE_PREUPDATE_HOOK", "ENABLE_SESSION",
    ])
    func optionsAreOn(_ option: String) {
        #expect(SQLiteBuild.hasOption(option))
        #expect(SQLiteBuild.hasOption("SQLITE_" + option))
        #expect(SQLiteBuild.compileOptions.contains(option))
    }

    @Test func optionsWithAValue() {
        #expect(SQLiteBuild.hasOption("THREADSAFE=\(SQLiteBuild.threadMode.rawValue)"))
        #expect(!SQLiteBuild.hasOption("THREADSAFE=0"))
        #expect(!SQLiteBuild.hasOption("ENABLE_TELEPATHY"))
    }

    @Test func compileOptionsAreThoseOfThePragma() throws {
        try DatabaseKind.memory.run { db in
            let options = try String.fetchAll(db, sql: "PRAGMA compile_options")
            #expect(SQLiteBuild.compileOptions == options)
        }
    }

    @Test func traitsAreThoseOfThePackage() {
        #if Encryption
        #expect(SQLiteBuild.traits.contains("Encryption"))
        #else
        #expect(!SQLiteBuild.traits.contains("Encryption"))
        #endif
        #if MaxAttached
        #expect(SQLiteBuild.traits.contains("MaxAttached"))
        #expect(SQLiteBuild.hasOption("MAX_ATTACHED=125"))
        #else
        #expect(!SQLiteBuild.traits.contains("MaxAttached"))
        #endif
    }

    @Test func thisBuildIsSound() {
        #expect(SQLiteBuild.defect == nil)
    }

    @Test(arguments: [(3_051_002, true), (3_051_003, false), (3_053_004, false)])
    func oldVersionsAreRefused(_ versionNumber: Int, _ isRefused: Bool) {
        let defect = SQLiteBuild.defect(versionNumber: versionNumber, threadMode: .multiThread, missingOptions: [])
        #expect(
            defect
                == (isRefused
                    ? "SQLite \(versionNumber) is too old: versions before 3.51.3 can corrupt databases in WAL mode "
                        + "(https://sqlite.org/wal.html#walresetbug). Run scripts/bootstrap and build again."
                    : nil))
    }

    @Test func theSingleThreadModeIsRefused() {
        let defect = SQLiteBuild.defect(versionNumber: 3_053_004, threadMode: .singleThread, missingOptions: [])
        #expect(defect == "SQLite was built with THREADSAFE=0. Run scripts/bootstrap --default and build again.")
    }

    @Test func missingOptionsAreNamed() {
        let defect = SQLiteBuild.defect(
            versionNumber: 3_053_004, threadMode: .serialized, missingOptions: ["ENABLE_FTS5", "ENABLE_SESSION"])
        #expect(
            defect == "SQLite was built without SQLITE_ENABLE_FTS5, SQLITE_ENABLE_SESSION. "
                + "Run scripts/bootstrap --default and build again.")
    }

    @Test func requiredOptionsAreOn() {
        #expect(SQLiteBuild.requiredOptions.filter { !SQLiteBuild.hasOption($0) } == [])
    }
}
