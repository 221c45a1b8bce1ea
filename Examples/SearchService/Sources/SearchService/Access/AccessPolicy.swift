/// Who may edit and operate.
enum AccessPolicy: Sendable {
    /// All visitors: the service is bound to the loopback address, and has no key.
    case open
    /// Visitors with the key.
    case key(AccessKey)
    /// No visitor: the service is bound to another address, and has no key.
    case closed

    func accepts(_ key: String) -> Bool {
        if case .key(let accessKey) = self { accessKey.matches(key) } else { false }
    }

    var isOpen: Bool { if case .open = self { true } else { false } }
    var hasKey: Bool { if case .key = self { true } else { false } }
}
