import CAmalgam

// libFuzzer calls this function with one input after the other. See scripts/proof/fuzz.
//
// The first byte selects the syntax, the others are the user's input. SQLite must be able to run the query.

private let syntaxes = [
    SearchBoxSyntax(),
    SearchBoxSyntax(fields: ["title", "body"], matchesPrefixOfLastWord: true),
    SearchBoxSyntax(fields: ["by": ["title", "body"], "in": []], matchesPrefixOfLastWord: true, defaultOperator: .or),
]

@_cdecl("LLVMFuzzerTestOneInput")
public func searchBoxFuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let text = String(decoding: UnsafeBufferPointer(start: bytes + 1, count: count - 1), as: UTF8.self)
    guard let query = FTS5Query(searchBox: text, syntax: syntaxes[Int(bytes[0]) % syntaxes.count]) else { return 0 }
    do {
        library.search(try query.rawPattern())
    } catch {
        fatalError("\(text.debugDescription): \(error)")
    }
    return 0
}

nonisolated(unsafe) private let library = Library()

/// A full-text table, and a statement that searches it.
private struct Library {
    private let statement: OpaquePointer

    init() {
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        let schema = """
            CREATE VIRTUAL TABLE document USING fts5(title, body);
            INSERT INTO document VALUES ('a title', 'some words in a body'), ('OR', 'x y z');
            """
        guard sqlite3_open(":memory:", &connection) == SQLITE_OK,
            sqlite3_exec(connection, schema, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(connection, "SELECT count(*) FROM document(?)", -1, &statement, nil) == SQLITE_OK,
            let statement
        else { fatalError(String(cString: sqlite3_errmsg(connection))) }
        self.statement = statement
    }

    func search(_ rawPattern: String) {
        let code = rawPattern.withCString { text in
            sqlite3_bind_text(statement, 1, text, -1, nil)
            return sqlite3_step(statement)
        }
        guard code == SQLITE_ROW else {
            fatalError("\(rawPattern): \(String(cString: sqlite3_errmsg(sqlite3_db_handle(statement))))")
        }
        sqlite3_reset(statement)
    }
}
