import Amalgam
import Foundation
// The names that the examples of AmalgamQuery use without declaring them. See Prelude.swift.

struct Address: TableRecord {}
struct Citizen: TableRecord {}
struct Citizenship: Codable, FetchableRecord, PersistableRecord {
    var citizenId: Int64
    var countryCode: String
}
struct CountryProfile: TableRecord {}

// The variable of the prelude hides the function of this name.
func date(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    modifiers.isEmpty ? Amalgam.date(value) : Amalgam.date(value, modifiers[0])
}
