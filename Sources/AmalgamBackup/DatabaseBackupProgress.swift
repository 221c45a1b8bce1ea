/// How far a backup has come.
///
/// The numbers are those of the source at the last step: both change when the source is written meanwhile.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that are still to be copied.
    public let remainingPageCount: Int

    /// The number of pages of the source.
    public let totalPageCount: Int

    /// The number of pages that were copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }

    /// Whether the backup is done, and committed in the destination.
    public let isCompleted: Bool

    package init(remainingPageCount: Int, totalPageCount: Int, isCompleted: Bool) {
        self.remainingPageCount = remainingPageCount
        self.totalPageCount = totalPageCount
        self.isCompleted = isCompleted
    }
}
