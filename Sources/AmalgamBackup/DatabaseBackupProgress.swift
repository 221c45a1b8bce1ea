/// The progress of a backup.
///
/// ```swift
/// try source.backup(to: destination, pagesPerStep: 100) { progress in
///     print(progress.completedPageCount, "of", progress.totalPageCount, "pages")
/// }
/// ```
///
/// The numbers are those of the source at the last step. If the source changes between two steps, the numbers change.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that remain to be copied.
    public let remainingPageCount: Int

    /// The number of pages of the source.
    public let totalPageCount: Int

    /// The number of pages that were copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }

    /// Whether the backup is completed and committed.
    public let isCompleted: Bool

    package init(remainingPageCount: Int, totalPageCount: Int, isCompleted: Bool) {
        self.remainingPageCount = remainingPageCount
        self.totalPageCount = totalPageCount
        self.isCompleted = isCompleted
    }
}
