/// The actor and the reason of row changes.
struct AuditContext: Equatable {
    var actor: String?
    var reason: String?
}
