import CAmalgam
import Foundation

/// The entry point of a loadable extension: <https://sqlite.org/loadext.html>.
///
/// In C: `int sqlite3_words_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi)`.
///
/// - Parameters:
///   - connection: The `sqlite3 *` to set up.
///   - message: Where the extension stores an error message, which is allocated by `sqlite3_mprintf`.
///   - api: The functions of SQLite, for extensions that are compiled with `sqlite3ext.h`. An extension must call these
///     functions, because Amalgam's SQLite exports no symbols. A direct call of `sqlite3_step`, for example, could be
///     linked to a different SQLite library, if the process contains one.
/// - Returns: `SQLITE_OK`, `SQLITE_OK_LOAD_PERMANENTLY`, or an error code.
public typealias SQLiteExtension =
    @convention(c) (
        _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
        _ api: UnsafeRawPointer?
    ) -> CInt

/// An extension that is set up on each connection.
package struct RegisteredExtension: Sendable {
    let name: String
    let entryPoint: SQLiteExtension
}

extension Configuration {
    /// Adds an extension that is linked into the process. The extension is set up on each connection, before the
    /// closures of `prepareDatabase` run.
    ///
    /// ```swift
    /// var config = Configuration()  // a module of your package declares sqlite3_words_init
    /// config.register(extension: { sqlite3_words_init($0, $1, $2) }, named: "words")
    /// ```
    ///
    /// If the extension fails, opening the connection throws an error with the extension's message.
    ///
    /// - Parameters:
    ///   - entryPoint: The C function that sets up the extension.
    ///   - name: The name of the extension in error messages.
    public mutating func register(extension entryPoint: SQLiteExtension, named name: String) {
        extensions.append(RegisteredExtension(name: name, entryPoint: entryPoint))
    }
}

extension Database {
    /// Sets up an extension, which is linked into the process, on this connection.
    ///
    /// ```swift
    /// try db.register(extension: { sqlite3_words_init($0, $1, $2) }, named: "words")
    /// ```
    ///
    /// - Parameters:
    ///   - entryPoint: The C function that sets up the extension.
    ///   - name: The name of the extension in error messages.
    /// - Throws: An error with the extension's message, if the extension fails; `SQLITE_MISUSE` outside of a database
    ///   access.
    public func register(extension entryPoint: SQLiteExtension, named name: String) throws {
        try register(RegisteredExtension(name: name, entryPoint: entryPoint))
    }

    func register(_ registered: RegisteredExtension) throws {
        try checkAccess()
        var text: UnsafeMutablePointer<CChar>?
        let code = amalgam_run_extension(sqliteConnection, registered.entryPoint, &text)
        defer { sqlite3_free(text) }
        guard code != SQLITE_OK else { return }
        let reason = text.map { String(cString: $0) } ?? ResultCode(rawValue: code).description
        throw DatabaseError(code: code, message: "the extension \(registered.name) failed: \(reason)")
    }

    /// Loads an extension from a file: <https://sqlite.org/c3ref/load_extension.html>.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.allowsLoadingExtensions = true
    /// config.prepareDatabase { db in
    ///     try db.loadExtension(at: "/opt/words/words.so")
    /// }
    /// ```
    ///
    /// The code of the file runs with all rights of the process. So ``Configuration/allowsLoadingExtensions`` must be
    /// true, and the path must be absolute: folders aren't searched. SQL can't load extensions, even after this call.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file.
    ///   - entryPoint: The name of the C function; with nil, `sqlite3_extension_init` or a name derived from the file
    ///     name.
    /// - Throws: `SQLITE_AUTH` if loading isn't allowed; `SQLITE_CANTOPEN` if the file doesn't exist; `SQLITE_MISUSE`
    ///   if the path isn't absolute, or if the build doesn't support extensions; an error of the loader or the
    ///   extension.
    public func loadExtension(at path: String, entryPoint: String? = nil) throws {
        try checkAccess()
        guard configuration.allowsLoadingExtensions else {
            throw DatabaseError(
                resultCode: .SQLITE_AUTH,
                message: "extensions are not loaded: set Configuration.allowsLoadingExtensions to allow it")
        }
        try checkExtension(path, entryPoint)
        var text: UnsafeMutablePointer<CChar>?
        let code = amalgam_load_extension(sqliteConnection, path, entryPoint, &text)
        defer { sqlite3_free(text) }
        guard code != SQLITE_OK else { return }
        throw DatabaseError(code: code, message: text.map { String(cString: $0) } ?? "could not load \(path)")
    }

    private func checkExtension(_ path: String, _ entryPoint: String?) throws {
        if SQLiteBuild.hasOption("OMIT_LOAD_EXTENSION") {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "SQLite was built with SQLITE_OMIT_LOAD_EXTENSION")
        }
        if path.utf8.contains(0) || entryPoint?.utf8.contains(0) == true {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the name contains a NUL character")
        }
        guard path.hasPrefix("/") else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the path of an extension must be absolute: \(path)")
        }
        guard isFile(path) else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "there is no extension at \(path)")
        }
    }

    /// Whether a path leads to a file, and not to a folder.
    private func isFile(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
    }
}
