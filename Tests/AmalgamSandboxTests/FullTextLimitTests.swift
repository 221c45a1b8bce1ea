import Amalgam
import TestSupport
import Testing

/// Full-text searches, and functions of their matches, that compare the matches of a large row with each other.
struct FullTextLimitTests {
    /// The arguments of a search, the table, and what is read of each row.
    private static let searches = [
        "y of matchinfo": search("f4", "'a'", "length(matchinfo(f4, \(repeated("y", 90_000))))"),
        "b of matchinfo": search("f4", "'a'", "length(matchinfo(f4, \(repeated("b", 90_000))))"),
        "x of matchinfo": search("f4", "'a'", "length(matchinfo(f4, \(repeated("x", 90_000))))"),
        "s of matchinfo": search("f4", repeated("a ", 300), "length(matchinfo(f4, 's'))"),
        "snippet": search("f4", repeated("a OR ", 300) + " || 'a'", "length(snippet(f4, '[', ']', '...', -1, 64))"),
        "NEAR": search("f5", "'NEAR(' || \(repeated("a ", 60)) || ', 1000000)'", "COUNT(*)"),
    ]

    private static func repeated(_ part: String, _ count: Int) -> String {
        "replace(hex(zeroblob(\(count))), '00', '\(part)')"
    }

    private static func search(_ table: String, _ pattern: String, _ result: String) -> String {
        "SELECT \(result) FROM \(table) WHERE \(table) MATCH \(pattern)"
    }

    @Test("a search for many words in a large row ends at its limit", arguments: searches.keys.sorted())
    func largeRows(_ name: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE f5 USING fts5(a); CREATE VIRTUAL TABLE f4 USING fts4(a)")
            let text = String(repeating: "a ", count: 400_000)
            try db.execute(
                sql: "INSERT INTO f5 VALUES (?1); INSERT INTO f4 VALUES (?1)", arguments: [text, text])
            var sandbox = Sandbox.readOnly
            sandbox.limits = .time(.milliseconds(500))
            let time = threadTime {
                let error = #expect(throws: DatabaseError.self) {
                    try db.sandboxed(sandbox) { _ = try Row.fetchAll(db, sql: Self.searches[name]!) }
                }
                #expect(error?.exceededLimit == .time)
            }
            // Twice the limit, and the same again for debug builds.
            #expect(time < .seconds(2), "\(name)")
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM f5 WHERE f5 MATCH 'a'"), 1)
        }
    }

    @Test("without a limit, the results are those of SQLite")
    func results() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE f5 USING fts5(a); CREATE VIRTUAL TABLE f4 USING fts4(a);
                    INSERT INTO f5 VALUES ('one two three four'); INSERT INTO f4 VALUES ('one two three four');
                    """)
            let near = "SELECT COUNT(*) FROM f5 WHERE f5 MATCH ?"
            for (words, distance, count) in [("one four", 2, 1), ("one four", 1, 0)] {
                let pattern = "NEAR(\(words), \(distance))"
                #expect(try Int.fetchOne(db, sql: near, arguments: [pattern]) == count, "\(pattern)")
            }
            let row = try Row.fetchOne(
                db, sql: "SELECT hex(matchinfo(f4, 'sy')), snippet(f4, '[', ']') FROM f4 WHERE f4 MATCH 'two three'")
            #expect(
                row == [
                    "hex(matchinfo(f4, 'sy'))": "020000000100000001000000",
                    "snippet(f4, '[', ']')": "one [two] [three] four",
                ])
        }
    }
}
