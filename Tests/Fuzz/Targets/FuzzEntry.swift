import Foundation

// libFuzzer calls LLVMFuzzerTestOneInput of Tests/Fuzz/Entry, which calls this function, with one input after the other, on one thread.
// The environment variable AMALGAM_FUZZ_TARGET names the target.

nonisolated(unsafe) private let run: any FuzzRun = {
    let name = ProcessInfo.processInfo.environment["AMALGAM_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError(
            "AMALGAM_FUZZ_TARGET has to be one of these: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))"
        )
    }
    do {
        return try target.start()
    } catch {
        fatalError("\(name) can't be prepared: \(error)")
    }
}()

/// Runs the target, and ends the process if it breaks a promise.
@_cdecl("amalgam_fuzz")
public func amalgamFuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let promise = run.brokenPromise(input) { fatalError(promise) }
    return 0
}
