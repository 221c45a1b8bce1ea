import Amalgam
import Foundation

/// An error message for the user: a sentence, and what to do about it.
struct Failure: Error {
    var message: String
    var advice: String?
    var exitCode: Int32 = 1

    init(_ message: String, advice: String? = nil, exitCode: Int32 = 1) {
        self.message = message
        self.advice = advice
        self.exitCode = exitCode
    }

    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as DatabaseError: self.init(error)
        default: self.init((error as NSError).localizedDescription)
        }
    }

    private init(_ error: DatabaseError) {
        self.init("SQLite error \(error.resultCode.rawValue): \(error.message ?? "")")
        switch error.resultCode {
        case .SQLITE_CANTOPEN: advice = "Does the folder of the database exist, and may you write there?"
        case .SQLITE_NOTADB: advice = "The file is not a database: choose another one for --db."
        case .SQLITE_BUSY: advice = "Another program uses the database: wait for its end, or choose another --db."
        case .SQLITE_FULL: advice = "The disk is full: TMPDIR names another folder for temporary databases."
        default: break
        }
    }
}
