extension Terminal {
    func report(_ index: IndexSummary) {
        let seconds = index.duration.inSeconds
        let speed = index.indexed == 0 ? "" : ", \(Int(Double(index.indexed) / seconds).grouped) docs/s"
        let count = bold(index.indexed.counted("file"))
        fact("indexed", count + ", \(index.bytes.megabytes), \(index.duration.text)\(speed)")
        fact("of these", "\(index.added.grouped) new, \(index.changed.grouped) changed")
        fact("unchanged", index.unchanged.grouped)
        fact("removed", index.removed.grouped)
        fact("skipped", skipped(index))
    }

    private func skipped(_ index: IndexSummary) -> String {
        let reasons = TextFile.Skip.allCases.compactMap { reason in
            index.skipped[reason].flatMap { $0 == 0 ? nil : "\($0.grouped) \(reason.rawValue)" }
        }
        return reasons.isEmpty ? "0" : reasons.joined(separator: ", ")
    }
}
