import Amalgam

extension Terminal {
    func report(_ review: Review) {
        let entry = review.entry
        section("Edit, with its audit trail")
        line("  " + bold(review.path.printable.shortened(to: width - 4)))
        line(
            "  \(entry.changes.count) of \(review.columnCount) columns changed"
                + dim("; kept in the AuditLog by the transaction of the edit"))
        fact("actor", entry.actor?.printable ?? "unknown")
        fact("reason", entry.reason?.printable ?? "unknown")
        fact("history", review.entryCount == 1 ? "1 entry" : "\(review.entryCount.grouped) entries")
        for change in entry.changes { report(change) }
    }

    private func report(_ change: AuditLog.ColumnChange) {
        let difference = Difference(change.oldValue.text, change.newValue.text)
        let context = width - 22
        line()
        line("  " + bold(change.columnName.padded(to: 12)) + dim("from  ") + difference.before(context, mark: removed))
        line("  " + "".padded(to: 12) + dim("  to  ") + difference.after(context, mark: added))
    }

    func report(snapshotOf review: Review) {
        section("Snapshot: one state, whatever is written")
        row("", "reader", "the text ends with", "hits for the new line", style: dim)
        row("during the write", "snapshot", review.snapshotDuringWrite)
        row("after the commit", "snapshot", review.snapshotAfterCommit)
        row("after the commit", "pool", review.poolAfterCommit)
    }

    private func row(_ time: String, _ reader: String, _ view: Review.View) {
        row(time, reader, view.lastLine.printable, view.matches.grouped)
    }

    private func row(
        _ time: String, _ reader: String, _ ending: String, _ found: String, style: (String) -> String = { $0 }
    ) {
        let columns = width - 53
        let ending = ending.shortened(to: columns).padded(to: columns)
        line("  " + style(time.padded(to: 18) + reader.padded(to: 10) + ending + "  " + found))
    }
}

extension DatabaseValue? {
    /// The value itself if it is a string, otherwise in SQL syntax.
    fileprivate var text: String { self.map { String.fromDatabaseValue($0) ?? $0.description } ?? "redacted" }
}
