import AmalgamCore
import CAmalgam
import Synchronization

/// The C functions that recognize the names of shadow tables, one for each set of suffixes. See `amalgam_shadow_names`.
enum ShadowNames {
    private static let sets = Mutex<[Set<ExactString>]>([])

    /// Returns the C function that recognizes shadow tables by a set of suffixes. Returns nil if the process already
    /// has functions for 32 other sets: the shadow tables aren't protected in this case.
    static func function(for names: Set<String>) -> (@convention(c) (UnsafePointer<CChar>?) -> CInt)? {
        let exactNames = Set(names.map(ExactString.init))
        return sets.withLock { sets in
            let index = sets.firstIndex(of: exactNames) ?? sets.count
            if index < sets.count { return amalgam_shadow_names(CInt(index), nil) }
            guard index < Int(AMALGAM_SHADOW_FUNCTIONS) else { return nil }
            sets.append(exactNames)
            return amalgam_shadow_names(CInt(index), immortalCopy(of: names))
        }
    }

    /// Copies names as NUL-terminated strings, followed by an empty string. The copy is never freed: SQLite may call
    /// the C function at any time on any thread, and the function reads the copy without a lock.
    private static func immortalCopy(of names: Set<String>) -> UnsafePointer<CChar> {
        let bytes = names.sorted().reduce(into: [CChar]()) { $0 += $1.utf8CString } + [0]
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return UnsafePointer(copy)
    }
}
