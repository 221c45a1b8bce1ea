// bench-quality CORPUS LANGUAGE BEST
//
// Reads the text of one search per line from standard input. Prints an object: the numbers of the best documents of each
// search, for each way of searching. scripts/bench-quality compares them with the documents that are looked for.

import Amalgam
import Foundation

struct Document: TableRecord {
    static let databaseTableName = "document"
}

/// The ways of searching, by name.
let ways: [(name: String, search: (_ text: String, _ db: Database) throws -> QueryInterfaceRequest<Document>)] = [
    ("Amalgam, all words", { text, _ in Document.matching(searchBox: text) }),
    (
        "Amalgam, any word",
        { text, _ in Document.matching(searchBox: text, syntax: SearchBoxSyntax(defaultOperator: .or)) }
    ),
    (
        "Amalgam, all words, corrected",
        { text, db in
            Document.matching(searchBox: try vocabulary.correction(db, ofSearchBox: text) ?? text)
        }
    ),
    (
        "Amalgam, all words, typos",
        { text, _ in Document.matching(searchBox: text, syntax: SearchBoxSyntax(typoTolerance: .standard)) }
    ),
]

let vocabulary = FTS5Terms("documentTerms", of: "document")

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 3, let best = Int(arguments[3]) else {
    fatalError("usage: \(CommandLine.arguments[0]) CORPUS LANGUAGE BEST")
}

let queue = try DatabaseQueue()
try queue.writeWithoutTransaction { db in
    try db.execute(sql: "ATTACH ? AS corpus", arguments: [arguments[1]])
    try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title, body)")
    try db.create(virtualTable: "documentTerms", using: FTS5VocabTable(of: "document", .row))
    try db.execute(
        sql: """
            INSERT INTO document (rowid, title, body)
            SELECT id, title, body FROM corpus.document WHERE language = ? ORDER BY id
            """, arguments: [arguments[2]])
}

var texts: [String] = []
while let line = readLine() { texts.append(line) }

let found = try queue.read { db in
    try ways.map { way in
        let lists = try texts.map { text in
            try way.search(text, db).select(Column.rowID, as: Int64.self).order(Column.rank).limit(best).fetchAll(db)
        }
        return (way.name, lists)
    }
}
let encoder = JSONEncoder()
encoder.outputFormatting = .sortedKeys
print(String(decoding: try encoder.encode(Dictionary(uniqueKeysWithValues: found)), as: UTF8.self))
