import Amalgam
import Foundation

/// The SQLite library of this process, as it describes itself, and whether its symbols are visible from the outside.
struct Engine {
    let version = SQLiteBuild.version
    let checkIn = SQLiteBuild.checkIn
    let origin = SQLiteBuild.origin
    let verification = SQLiteBuild.verification
    let options = SQLiteBuild.compileOptions
    let hasCustomOptions = SQLiteBuild.hasCustomOptions

    /// Whether the dynamic linker finds no `sqlite3_open` in this process.
    ///
    /// The engine's functions have other names, and aren't exported. So a function with this name would belong to
    /// another SQLite, such as the system's, or to an engine that isn't sealed.
    let isSealed = symbol("sqlite3_open") == nil

    /// The date of the check-in, with which the source id begins.
    var date: String { String(SQLiteBuild.sourceID.prefix(10)) }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        let program = dlopen(nil, RTLD_NOW)
        defer { if let program { dlclose(program) } }
        return dlsym(program, name)
    }
}
