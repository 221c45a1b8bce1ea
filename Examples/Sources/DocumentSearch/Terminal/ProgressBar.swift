/// A line that shows the progress of the indexing, on interactive terminals only.
final class ProgressBar {
    private let terminal: Terminal
    private let start = ContinuousClock.now
    private var lastShown: ContinuousClock.Instant?

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// Shows at most twenty states per second, and the last one.
    func show(_ progress: IndexProgress) {
        guard terminal.isLive else { return }
        let now = ContinuousClock.now
        if let lastShown, now - lastShown < .milliseconds(50), progress.files < progress.totalFiles { return }
        lastShown = now
        terminal.write("\r\u{1B}[K" + line(progress, after: start.duration(to: now)))
    }

    func clear() {
        if lastShown != nil { terminal.write("\r\u{1B}[K") }
    }

    private func line(_ progress: IndexProgress, after duration: Duration) -> String {
        let share = Double(progress.files) / Double(max(1, progress.totalFiles))
        let speed = Int(Double(progress.documents) / max(0.001, duration.inSeconds))
        let text = """
             \(String(Int(share * 100)).leftPadded(to: 3))%  \(progress.files.grouped)/\(progress.totalFiles.grouped) files  \
            \(progress.bytes.megabytes)  \(duration.tenths)  \(speed.grouped) docs/s
            """
        let columns = max(8, terminal.width - 63)
        let filled = Int(share * Double(columns))
        return "  " + terminal.bar(String(repeating: "█", count: filled))
            + terminal.dim(String(repeating: "░", count: columns - filled)) + text
    }
}

extension Duration {
    /// The duration in seconds, such as `2.4 s`.
    fileprivate var tenths: String { "\((inSeconds * 10).rounded(.down) / 10) s" }
}
