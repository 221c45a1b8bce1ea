/// The progress of a recovery.
///
/// ```swift
/// try DatabaseRecovery(of: path).recover(into: newPath) { progress in
///     print(progress.phase, progress.fractionCompleted, progress.savedRowCount)
/// }
/// ```
public struct RecoveryProgress: Sendable, Hashable {
    /// The phases of a recovery, in their order.
    public enum Phase: Int, Sendable, Hashable, CaseIterable {
        /// The damaged file is copied, with its WAL file or journal.
        case copyingFile
        /// The rows of the tables in the schema are read and saved.
        case readingTables
        /// Pages that belong to no table are searched for rows.
        case searchingLostRows
        /// Indexes, views and triggers are created. A single step, which may take long.
        case creatingIndexes
        /// Full-text indexes and other virtual tables are built again.
        case rebuildingVirtualTables
    }

    /// The current phase.
    public let phase: Phase

    /// The fraction of the phase that is completed, from 0 to 1. It is 0 during a phase of unknown length.
    public let fractionCompleted: Double

    /// The number of rows saved in their tables so far.
    public let savedRowCount: Int

    /// The number of rows saved without their table so far.
    public let lostRowCount: Int

    package init(phase: Phase, fractionCompleted: Double, savedRowCount: Int = 0, lostRowCount: Int = 0) {
        self.phase = phase
        self.fractionCompleted = min(1, max(0, fractionCompleted))
        self.savedRowCount = savedRowCount
        self.lostRowCount = lostRowCount
    }
}
