import Amalgam

/// Why a query has no result, in words for the person who wrote it.
struct QueryRefusal: Error {
    enum Reason: Sendable { case denied, limit, invalid, busy }

    var reason: Reason
    var message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    init(_ error: DatabaseError) {
        if let action = error.deniedAction {
            self.init(.denied, "Not allowed here: \(action).")
        } else if error.exceededLimit != nil {
            self.init(.limit, "The query took longer than \(QuerySandbox.timeLimit / .seconds(1)) seconds.")
        } else if [.SQLITE_TOOBIG, .SQLITE_NOMEM].contains(error.resultCode) {
            self.init(.limit, "The query needs too much memory: \(error.message ?? "").")
        } else {
            self.init(.invalid, error.message ?? "\(error.resultCode)")
        }
    }
}
