import AmalgamCore
import Foundation

/// Finds out what the messages of `PRAGMA integrity_check` are about: <https://sqlite.org/pragma.html#pragma_integrity_check>.
struct IntegrityMessages {
    private struct Object {
        let type: String
        let name: String
        let table: String
        let sql: String
        let page: Int
    }

    private let objects: [Object]
    private let prefix: String

    /// - Parameter rows: The columns type, name, tbl_name, sql and rootpage of the schema.
    init(_ rows: [Row], schema: String) {
        objects = rows.map { row in
            Object(type: row[0], name: row[1], table: row[2], sql: row[3] as String? ?? "", page: row[4])
        }
        prefix = schema == "main" ? "" : schema.quotedDatabaseIdentifier + "."
    }

    /// Returns the problems, with one problem for all messages about the same thing.
    func problems(_ messages: [String]) -> [IntegrityReport.Problem] {
        var problems: [IntegrityReport.Problem] = []
        for message in messages.flatMap(lines) where !isAboutMissingCheck(message) {
            let (subject, remedy) = meaning(of: message)
            if let index = problems.firstIndex(where: { $0.subject == subject && $0.remedy == remedy }) {
                problems[index].messages.append(message)
            } else {
                problems.append(IntegrityReport.Problem(subject: subject, remedy: remedy, messages: [message]))
            }
        }
        return problems
    }

    /// SQLite reports the problems of pages in one row, below the line `*** in database main ***`.
    private func lines(_ message: String) -> [String] {
        if message.hasPrefix("In RTree ") { return [message] }
        return message.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("*** in database ") }
    }

    private func meaning(of message: String) -> (IntegrityReport.Subject, IntegrityReport.Remedy) {
        if let meaning = ofIndex(message) ?? ofVirtualTable(message) ?? ofRows(message) ?? ofPages(message) {
            return meaning
        }
        return (.pages, .recovery)
    }

    // MARK: Rows and indexes

    private func ofIndex(_ message: String) -> (IntegrityReport.Subject, IntegrityReport.Remedy)? {
        if let name = tail(of: message, after: "non-unique entry in index ") {
            return (.rows(table: table(ofIndex: name)), .rows)
        }
        let marks = [
            " missing from index ", "wrong # of entries in index ", " values differ from index ",
            "rowid not at end-of-record for row ",
        ]
        for mark in marks {
            guard let end = tail(of: message, after: mark) else { continue }
            let name = tail(of: end, after: " of index ") ?? end
            return (.index(name, table: table(ofIndex: name)), reindex(name))
        }
        return nil
    }

    private func ofRows(_ message: String) -> (IntegrityReport.Subject, IntegrityReport.Remedy)? {
        for mark in ["CHECK constraint failed in ", "NULL value in ", " value in "] {
            guard let end = tail(of: message, after: mark) else { continue }
            // The name of a table, or of a table and a column.
            let object = objects.first { end == $0.name || end.hasPrefix($0.name + ".") }
            return (.rows(table: object?.name ?? end), .rows)
        }
        if let name = tail(of: message, after: "row not in PRIMARY KEY order for ") { return (.table(name), .recovery) }
        return nil
    }

    private func ofVirtualTable(_ message: String) -> (IntegrityReport.Subject, IntegrityReport.Remedy)? {
        if let end = tail(of: message, after: "In RTree "), message.hasPrefix("In RTree ") {
            return (.virtualTable(withoutSchema(head(of: end, before: ":"))), .recovery)
        }
        return fullTextTable(message).map { (.fullTextIndex($0), rebuild($0)) }
    }

    private func fullTextTable(_ message: String, _ versions: ClosedRange<Int> = 3...5) -> String? {
        for version in versions {
            guard let end = tail(of: message, after: "inverted index for FTS\(version) table ") else { continue }
            return withoutSchema(head(of: end, before: ": "))
        }
        return nil
    }

    /// FTS4 compares an index with the content. SQLite reports each table that stores no content, though nothing is damaged.
    private func isAboutMissingCheck(_ message: String) -> Bool {
        guard message.hasPrefix("unable to validate"), message.hasSuffix("SQL logic error") else { return false }
        return fullTextTable(message, 3...4).map(isContentless) ?? false
    }

    /// Returns the remedy for a full-text table. A table that stores no content and reads none has nothing to be built from.
    func rebuild(_ name: String) -> IntegrityReport.Remedy {
        if isContentless(name) { return .recovery }
        let quoted = name.quotedDatabaseIdentifier
        return .statement("INSERT INTO \(prefix)\(quoted)(\(quoted)) VALUES ('rebuild')")
    }

    private func isContentless(_ name: String) -> Bool {
        let sql = objects.first { $0.name.lowercased() == name.lowercased() }?.sql.lowercased() ?? ""
        let arguments = sql.filter { !$0.isWhitespace }
        return ["''", "\"\"", ",", ")"].contains { arguments.contains("content=" + $0) }
    }

    private func reindex(_ name: String) -> IntegrityReport.Remedy {
        .statement("REINDEX \(prefix)\(name.quotedDatabaseIdentifier)")
    }

    // MARK: Pages

    private func ofPages(_ message: String) -> (IntegrityReport.Subject, IntegrityReport.Remedy)? {
        let vacuum = "VACUUM" + (prefix.isEmpty ? "" : " " + prefix.dropLast())
        if message.hasSuffix(": never used") { return (.unusedPages, .statement(vacuum)) }
        // A wrong number of free pages is harmless; a page on the list may be in use.
        if message.hasPrefix("Freelist: size is ") { return (.freePages, .statement(vacuum)) }
        if message.hasPrefix("Freelist: ") { return (.freePages, .recovery) }
        guard message.hasPrefix("Tree "), let word = message.dropFirst(5).split(separator: " ").first,
            let number = Int(word)
        else { return nil }
        guard let object = objects.first(where: { $0.page == number }) else {
            return number == 1 ? (.schema, .recovery) : nil
        }
        // REINDEX walks the pages of the index, which may lead to pages of other things.
        return object.type == "index"
            ? (.index(object.name, table: object.table), .recovery) : (.table(object.name), .recovery)
    }

    // MARK: Names

    private func table(ofIndex name: String) -> String { objects.first { $0.name == name }?.table ?? name }

    private func tail(of message: String, after mark: String) -> String? {
        message.range(of: mark).map { String(message[$0.upperBound...]) }
    }

    private func head(of message: String, before mark: String) -> String {
        message.range(of: mark).map { String(message[..<$0.lowerBound]) } ?? message
    }

    private func withoutSchema(_ name: String) -> String {
        name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
    }
}
