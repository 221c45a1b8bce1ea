public import AmalgamCore

extension Configuration {
    /// The pass phrase in early versions of GRDB. Code that uses this property doesn't compile: call
    /// ``Database/usePassphrase(_:)-(String)`` in `prepareDatabase`.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.usePassphrase(loadPassphrase())   // instead of: config.passphrase = loadPassphrase()
    /// }
    /// ```
    ///
    /// A configuration would keep the pass phrase in memory as long as the database is open. The closure loads it for
    /// each connection.
    @available(*, unavailable, message: "Call db.usePassphrase(_:) in Configuration.prepareDatabase.")
    public var passphrase: String? {
        get { nil }
        set {}
    }
}
