import AmalgamCore
import CAmalgam
import Synchronization

/// The C functions that know shadow names, one per set of names: see `amalgam_shadow_names`.
enum ShadowNames {
    private static let sets = Mutex<[Set<String>]>([])

    /// The function that answers for these names. The 33rd set of a process has none: its tables are as well protected
    /// as those of a module without shadow names.
    static func function(for names: Set<String>) -> (@convention(c) (UnsafePointer<CChar>?) -> CInt)? {
        sets.withLock { sets in
            let index = sets.firstIndex(of: names) ?? sets.count
            if index < sets.count { return amalgam_shadow_names(CInt(index), nil) }
            guard index < Int(AMALGAM_SHADOW_FUNCTIONS) else { return nil }
            sets.append(names)
            return amalgam_shadow_names(CInt(index), immortalCopy(of: names))
        }
    }

    /// NUL-terminated names, the last one empty. They are never freed: C reads them without a lock.
    private static func immortalCopy(of names: Set<String>) -> UnsafePointer<CChar> {
        let bytes = names.sorted().reduce(into: [CChar]()) { $0 += $1.utf8CString } + [0]
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return UnsafePointer(copy)
    }
}
