import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// An extension written as in C: it adds a function answer() that returns 42.
private let answers: SQLiteExtension = { connection, _, _ in
    sqlite3_create_function_v2(
        connection, "answer", 0, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_int(context, 42) }, nil, nil, nil)
}

private let fails: SQLiteExtension = { _, message, _ in
    let text = "no dictionary"
    let copy = sqlite3_malloc(CInt(text.utf8.count + 1))?.assumingMemoryBound(to: CChar.self)
    text.withCString { bytes in _ = copy.map { strcpy($0, bytes) } }
    message?.pointee = copy
    return SQLITE_CANTOPEN
}

struct ExtensionTests {
    @Test(arguments: DatabaseKind.allCases)
    func allConnectionsHaveTheExtension(_ kind: DatabaseKind) throws {
        var configuration = Configuration()
        configuration.register(extension: answers, named: "answers")
        configuration.prepareDatabase { db in
            try expectEqual(Int.fetchOne(db, sql: "SELECT answer()"), 42)
        }
        try kind.open(configuration) { writer in
            let written = try writer.write { db in try Int.fetchOne(db, sql: "SELECT answer()") }
            let read = try writer.read { db in try Int.fetchOne(db, sql: "SELECT answer()") }
            #expect(written == 42)
            #expect(read == 42)
        }
    }

    @Test func oneConnectionHasTheExtension() throws {
        try DatabaseKind.memory.run { db in
            try db.register(extension: answers, named: "answers")
            #expect(try Int.fetchOne(db, sql: "SELECT answer()") == 42)
        }
    }

    @Test func permanentExtensionsAreFine() throws {
        try DatabaseKind.memory.run { db in
            try db.register(
                extension: { _, _, _ in ResultCode.SQLITE_OK_LOAD_PERMANENTLY.rawValue }, named: "permanent")
        }
    }

    @Test func anExtensionThatFails() throws {
        var configuration = Configuration()
        configuration.register(extension: fails, named: "words")
        expectError(.SQLITE_CANTOPEN, "the extension words failed: no dictionary") {
            _ = try DatabaseQueue(configuration: configuration)
        }
        try DatabaseKind.memory.run { db in
            expectError(.SQLITE_CANTOPEN, "the extension words failed: no dictionary") {
                try db.register(extension: fails, named: "words")
            }
            expectError(.SQLITE_NOMEM, "the extension words failed: 7 (out of memory)") {
                try db.register(extension: { _, _, _ in SQLITE_NOMEM }, named: "words")
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    // MARK: Files

    @Test func loadingIsOffByDefault() throws {
        try DatabaseKind.memory.run { db in
            expectCode(.SQLITE_AUTH) { try db.loadExtension(at: "/tmp/words.so") }
        }
    }

    private func withLoading(_ test: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.allowsLoadingExtensions = true
        try DatabaseKind.memory.run(configuration, test)
    }

    @Test func pathsAreChecked() throws {
        try withTemporaryDirectory { directory in
            try withLoading { db in try checkPaths(db, directory.path) }
        }
    }

    private func checkPaths(_ db: Database, _ directory: String) throws {
        let missing = directory + "/words.so"
        expectError(.SQLITE_MISUSE, "the path of an extension must be absolute: words.so") {
            try db.loadExtension(at: "words.so")
        }
        expectError(.SQLITE_CANTOPEN, "there is no extension at \(missing)") { try db.loadExtension(at: missing) }
        expectError(.SQLITE_CANTOPEN, "there is no extension at \(directory)") { try db.loadExtension(at: directory) }
        expectError(.SQLITE_MISUSE, "the name contains a NUL character") { try db.loadExtension(at: "/tmp/a\0b") }
        try Data("no library".utf8).write(to: URL(fileURLWithPath: missing))
        let error = #expect(throws: DatabaseError.self) { try db.loadExtension(at: missing) }
        #expect(error?.message?.contains("words.so") == true)
    }

    @Test func sqlLoadsNothing() throws {
        try withLoading { db in
            expectError(.SQLITE_ERROR, "not authorized", sql: "SELECT load_extension('/tmp/words')") {
                try db.execute(sql: "SELECT load_extension('/tmp/words')")
            }
        }
    }

    /// An extension in C calls this SQLite, whose symbols are sealed, through the API table that it receives.
    @Test(.enabled(if: Compiler.path != nil, "there is no C compiler"))
    func anExtensionFromAFile() throws {
        try withTemporaryDirectory { directory in
            let path = try compile(directory)
            try withLoading { db in try checkExtension(db, path) }
        }
    }

    private func checkExtension(_ db: Database, _ path: String) throws {
        try db.loadExtension(at: path)
        try expectEqual(String.fetchOne(db, sql: "SELECT reversed('Anna')"), "annA")
        try expectEqual(String.fetchOne(db, sql: "SELECT words_version()"), SQLiteBuild.version)
        // `load_extension()` in SQL is still disabled.
        expectCode(.SQLITE_ERROR) { try db.execute(sql: "SELECT load_extension(?)", arguments: [path]) }
        expectError(.SQLITE_ERROR, "error during initialization: no dictionary") {
            try db.loadExtension(at: path, entryPoint: "words_fail")
        }
        let error = expectCode(.SQLITE_ERROR) { try db.loadExtension(at: path, entryPoint: "nothing") }
        #expect(error?.message?.contains("nothing") == true)
        expectCode(.SQLITE_MISUSE) { try db.loadExtension(at: path, entryPoint: "a\0") }
    }

    private func compile(_ directory: URL) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = directory.appendingPathComponent("words.c")
        try Data(Self.source.utf8).write(to: source)
        let library = directory.appendingPathComponent("words.so")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: try #require(Compiler.path))
        compiler.arguments = [
            "-shared", "-fPIC", "-I", root.appendingPathComponent("vendor/sqlite").path, "-o", library.path,
            source.path,
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        return library.path
    }

    private enum Compiler {
        static let path = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    private static let source = """
        #include "sqlite3ext.h"
        SQLITE_EXTENSION_INIT1

        static void reversed(sqlite3_context *context, int count, sqlite3_value **arguments) {
            const unsigned char *text = sqlite3_value_text(arguments[0]);
            int length = sqlite3_value_bytes(arguments[0]);
            char *result = sqlite3_malloc(length + 1);
            if (result == 0) { sqlite3_result_error_nomem(context); return; }
            for (int i = 0; i < length; i++) result[i] = (char)text[length - 1 - i];
            sqlite3_result_text(context, result, length, sqlite3_free);
        }

        static void version(sqlite3_context *context, int count, sqlite3_value **arguments) {
            sqlite3_result_text(context, sqlite3_libversion(), -1, SQLITE_STATIC);
        }

        int sqlite3_words_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
            SQLITE_EXTENSION_INIT2(api);
            sqlite3_create_function(db, "words_version", 0, SQLITE_UTF8, 0, version, 0, 0);
            return sqlite3_create_function(db, "reversed", 1, SQLITE_UTF8, 0, reversed, 0, 0);
        }

        int words_fail(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
            SQLITE_EXTENSION_INIT2(api);
            *message = sqlite3_mprintf("no dictionary");
            return SQLITE_ERROR;
        }
        """
}
