extension Terminal {
    func report(_ languages: MetadataTable, _ folders: MetadataTable) {
        section("JSON: what the metadata of the documents tells")
        report(languages, "language")
        line()
        report(folders, "folder")
    }

    private func report(_ table: MetadataTable, _ title: String) {
        sql(table.sql)
        line("\n  " + bold(title.padded(to: 20) + "documents".leftPadded(to: 11) + "lines".leftPadded(to: 12)))
        let largest = table.rows.map(\.documents).max() ?? 1
        for row in table.rows { line("  " + text(row, largest)) }
        if table.rows.isEmpty { line("  " + dim("(no rows)")) }
    }

    private func text(_ row: MetadataTable.Row, _ largest: Int) -> String {
        let name = row.name.printable.shortened(to: 20).padded(to: 20)
        let figures = row.documents.grouped.leftPadded(to: 11) + row.lines.grouped.leftPadded(to: 12)
        let columns = row.documents * max(0, width - 49) / max(1, largest)
        return name + figures + "  " + bar(String(repeating: "█", count: max(1, columns)))
    }
}
