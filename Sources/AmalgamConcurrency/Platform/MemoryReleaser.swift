#if !canImport(Darwin)
/// Has a database release memory when the system asks for it. Only Apple systems ask: see `MemoryReleaser+Darwin.swift`.
final class MemoryReleaser: Sendable {
    /// Starts, if the configuration wants it.
    func start(isWanted: Bool, _ release: @escaping @Sendable () -> Void) {}

    /// Ends the observation of the system.
    func stop() {}
}
#endif
