import AmalgamCore
import CAmalgam

extension Database {
    /// Sets the connection options that a WAL policy needs.
    func setUp(_ policy: WALPolicy) throws {
        try limitWALFile(to: policy.maximumSize)
        if policy.isReplicated { set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }
    }
}
