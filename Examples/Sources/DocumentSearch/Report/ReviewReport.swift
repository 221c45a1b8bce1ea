import Amalgam

extension Terminal {
    func report(_ review: Review) {
        section("Edit, with its audit trail")
        line("  " + bold(review.path.printable.shortened(to: width - 4)))
        line(
            "  \(review.trail.count) of \(review.columnCount) columns changed"
                + dim("; told by pre-update events, kept in the table audit"))
        for entry in review.trail { report(entry) }
    }

    private func report(_ entry: AuditEntry) {
        let change = Difference(entry.old.text, entry.new.text)
        let context = width - 22
        line()
        line("  " + bold(entry.column.padded(to: 12)) + dim("from  ") + change.before(context, mark: removed))
        line("  " + "".padded(to: 12) + dim("  to  ") + change.after(context, mark: added))
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

extension DatabaseValue {
    /// The value itself for a text, else as in SQL.
    fileprivate var text: String { String.fromDatabaseValue(self) ?? description }
}
