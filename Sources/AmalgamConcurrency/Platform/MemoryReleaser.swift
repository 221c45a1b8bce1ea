#if !canImport(Darwin)
/// Does nothing: only Apple systems report memory pressure. See `MemoryReleaser+Darwin.swift`.
final class MemoryReleaser: Sendable {
    /// Starts to observe the system, if the configuration wants it.
    func start(isWanted: Bool, _ release: @escaping @Sendable () -> Void) {}

    /// Stops observing the system.
    func stop() {}
}
#endif
