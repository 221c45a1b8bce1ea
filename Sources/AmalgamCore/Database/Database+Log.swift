import CAmalgam
import Synchronization

extension Database {
    /// A function that receives the error log of SQLite: <https://sqlite.org/errlog.html>.
    public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

    /// Receives the error log of SQLite.
    ///
    /// Set it once, before the first connection of the process is opened: SQLite reads it when it starts.
    ///
    /// ```swift
    /// Database.logError = { code, message in print("\(code): \(message)") }
    /// ```
    nonisolated(unsafe) public static var logError: LogErrorFunction? {
        // Unsafe: SQLite itself wants this to be set before any other thread uses it.
        didSet {
            guard logError != nil else {
                _ = amalgam_config_log(nil, nil)
                return
            }
            _ = amalgam_config_log(
                { _, code, message in
                    guard let message else { return }
                    Database.logError?(ResultCode(rawValue: code), String(cString: message))
                }, nil)
        }
    }
}
