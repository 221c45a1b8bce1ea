import Foundation

/// The seeds of a random test: 1 to `count`. `AMALGAM_SEEDS=5000` tries 5,000 seeds, `AMALGAM_FIRST_SEED=5001` begins with
/// this one, and `AMALGAM_SEED=17` tries only this one.
///
/// A test that fails prints its seed:
///
/// ```swift
/// @Test(arguments: seeds(200)) func undoRestoresAllTables(seed: UInt64) throws { … }
/// ```
package func seeds(_ count: UInt64) -> ClosedRange<UInt64> {
    if let seed = environment("AMALGAM_SEED").flatMap({ UInt64($0) }) { return seed...seed }
    let first = environment("AMALGAM_FIRST_SEED").flatMap { UInt64($0) } ?? 1
    let count = environment("AMALGAM_SEEDS").flatMap { UInt64($0) } ?? count
    return first...(first + max(1, count) - 1)
}

/// Returns a part of the steps that still fails: no single step of it can be left out.
///
/// The steps are left out in halves, quarters and so on, as delta debugging does.
package func shrunk<Step>(_ steps: [Step], while fails: ([Step]) -> Bool) -> [Step] {
    var steps = steps
    var length = max(1, steps.count / 2)
    while true {
        var start = 0
        var isShorter = false
        while start < steps.count {
            let end = min(start + length, steps.count)
            let candidate = Array(steps[..<start] + steps[end...])
            if fails(candidate) {
                steps = candidate
                isShorter = true
            } else {
                start = end
            }
        }
        if length == 1 && !isShorter { return steps }
        length = max(1, length / 2)
    }
}
