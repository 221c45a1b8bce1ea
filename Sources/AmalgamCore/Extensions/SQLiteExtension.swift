import CAmalgam
import Foundation

/// The entry point of a loadable extension: <https://sqlite.org/loadext.html>.
///
/// In C: `int sqlite3_words_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi)`.
///
/// - Parameters:
///   - connection: the `sqlite3 *` to set up.
///   - message: where to put an error message, made by `sqlite3_mprintf`.
///   - api: the functions of SQLite, for extensions that are compiled with `sqlite3ext.h`. The names of SQLite are sealed
///     in Amalgam: an extension reaches it through this table, and never another SQLite of the process.
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
    /// Sets an extension up on each connection, before `prepareDatabase`: one that is linked into the process.
    ///
    /// ```swift
    /// import CWords   // declares sqlite3_words_init
    ///
    /// var config = Configuration()
    /// config.register(extension: { sqlite3_words_init($0, $1, $2) }, named: "words")
    /// ```
    ///
    /// An extension that fails makes opening the connection throw, with the message of the extension.
    ///
    /// - Parameter name: how error messages call the extension.
    public mutating func register(extension entryPoint: SQLiteExtension, named name: String) {
        extensions.append(RegisteredExtension(name: name, entryPoint: entryPoint))
    }
}

extension Database {
    /// Sets an extension up on this connection: one that is linked into the process.
    ///
    /// ```swift
    /// try db.register(extension: { sqlite3_words_init($0, $1, $2) }, named: "words")
    /// ```
    ///
    /// - Parameter name: how error messages call the extension.
    /// - throws: an error with the message of the extension, when it fails.
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
    /// The code of the file runs with all rights of the process. So ``Configuration/allowsLoadingExtensions`` must be on,
    /// and the path be that of a file: names are not searched for. SQL cannot load anything, before and after.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the file.
    ///   - entryPoint: the name of the C function; `sqlite3_extension_init`, or one made of the name of the file, when
    ///     nil.
    /// - throws: `SQLITE_AUTH` when it is not allowed; `SQLITE_CANTOPEN` when there is no such file; `SQLITE_MISUSE` for
    ///   a build without extensions; what the loader, or the extension, says.
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

    /// Whether the path is that of a file, and not of a folder.
    private func isFile(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
    }
}
