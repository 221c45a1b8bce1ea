import Amalgam
import Foundation
// The names that the examples of AmalgamJSON use without declaring them. See Prelude.swift.

extension Player.Columns {
    static let dates = JSONColumn("dates"), scores = JSONColumn("scores")
    static let minimum = Column("minimum")
}

struct Address: Codable {
    var city: String
}
