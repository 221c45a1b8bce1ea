import Amalgam
import Foundation
// The names that the examples of AmalgamAudit use without declaring them. See Prelude.swift.

nonisolated(unsafe) var entry: AuditLog.Entry! = nil
let history = UndoHistory()
let playerId: Int64 = 1
let yesterday = Date(timeIntervalSinceNow: -86_400)
