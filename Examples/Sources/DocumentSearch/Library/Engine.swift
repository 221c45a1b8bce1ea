import Amalgam
import Foundation

/// The SQLite in this process, by its own account, and what can be seen of its seal from the outside.
struct Engine {
    let version = SQLiteBuild.version
    let checkIn = SQLiteBuild.checkIn
    let origin = SQLiteBuild.origin
    let verification = SQLiteBuild.verification
    let options = SQLiteBuild.compileOptions
    let hasCustomOptions = SQLiteBuild.hasCustomOptions

    /// Whether the dynamic linker knows no `sqlite3_open` in this process.
    ///
    /// The functions of the engine have other names, and are not offered to other code. So what could be found is either
    /// another SQLite, such as the system's, or an engine that is not sealed.
    let isSealed = symbol("sqlite3_open") == nil

    /// The day of the check-in: the source id begins with it.
    var date: String { String(SQLiteBuild.sourceID.prefix(10)) }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        let program = dlopen(nil, RTLD_NOW)
        defer { if let program { dlclose(program) } }
        return dlsym(program, name)
    }
}
