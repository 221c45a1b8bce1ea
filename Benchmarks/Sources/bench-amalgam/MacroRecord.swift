import Foundation
import Workload

/// A row of `integers`, by a macro. In the peer's column, the record is `Codable`.
@Record("integers")
struct MacroIntegers {
    @Key var id: Int64?
    var i0: Int
    var i1: Int
    var i2: Int
    var i3: Int
    var i4: Int
    var i5: Int
    var i6: Int
    var i7: Int
    var i8: Int
    var i9: Int

    /// The sum of the ten columns.
    var sum: Int {
        let first = i0 &+ i1 &+ i2 &+ i3 &+ i4
        return first &+ i5 &+ i6 &+ i7 &+ i8 &+ i9
    }
}

/// A row of `profiles`, by a macro.
@Record("profiles")
struct MacroMixed {
    @Key var id: Int
    var name: String
    var email: String
    var score: Double
    var seen: Date
}
