import CAmalgam
import Synchronization

extension Database {
    /// A function that receives the messages of SQLite's error log: <https://sqlite.org/errlog.html>.
    public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

    /// The function that receives the messages of SQLite's error log.
    ///
    /// Set it once, before the process opens its first connection, because setting it isn't thread-safe.
    ///
    /// ```swift
    /// Database.logError = { code, message in print("\(code): \(message)") }
    /// ```
    nonisolated(unsafe) public static var logError: LogErrorFunction? {
        // Unsafe: SQLite itself requires that no other thread uses SQLite while this is set.
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
