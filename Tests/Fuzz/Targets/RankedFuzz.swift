import CRankedFuzz

/// Searches of damaged full-text tables, ordered by rank: see Tests/Fuzz/Ranked.
struct RankedFuzz: FuzzRun {
    func run(_ input: FuzzInput) {
        input.remainder.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            amalgam_fuzz_ranked(start, bytes.count)
        }
    }
}
