import Foundation

// This library has no macros: its records are `Codable`, as most applications write them.

typealias MacroIntegers = IntegersRecord
typealias MacroMixed = MixedRecord
