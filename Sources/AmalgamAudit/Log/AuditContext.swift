/// On whose behalf rows change, and why.
struct AuditContext: Equatable {
    var actor: String?
    var reason: String?
}
