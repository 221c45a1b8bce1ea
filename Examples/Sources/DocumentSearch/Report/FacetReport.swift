import Amalgam

extension Terminal {
    func report(_ facets: Facets, of result: SearchResult) {
        let documents = result.count == 0 ? result.documentCount : result.count
        section("Facets of \(documents.counted("document")), from JSON")
        report(facets.languages, "language", sql: "metadata ->> '$.language'")
        line()
        report(facets.folders, "folder", sql: "json_each(metadata, '$.folders')")
    }

    private func report(_ counts: [FacetCount<String>], _ title: String, sql: String) {
        line("  " + bold(title.padded(to: 20) + "documents".leftPadded(to: 11)) + "  " + dim(sql))
        let largest = counts.map(\.count).max() ?? 1
        for count in counts { line("  " + text(count, largest)) }
        if counts.isEmpty { line("  " + dim("(none)")) }
    }

    private func text(_ facet: FacetCount<String>, _ largest: Int) -> String {
        let name = (facet.value ?? "").printable.shortened(to: 20).padded(to: 20)
        let columns = facet.count * max(0, width - 37) / max(1, largest)
        return name + facet.count.grouped.leftPadded(to: 11) + "  "
            + bar(String(repeating: "█", count: max(1, columns)))
    }
}
