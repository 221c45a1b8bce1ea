import Amalgam

/// A value that the database remembers.
enum Setting: String {
    /// The languages of the full-text index.
    case languages
    /// The folder or file that is indexed.
    case corpus
    /// The state of the JSON Lines file that is indexed.
    case corpusStamp

    static func value(_ db: Database, of setting: Setting) throws -> String? {
        try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [setting.rawValue])
    }

    static func set(_ db: Database, _ setting: Setting, to value: String) throws {
        try db.execute(
            sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            arguments: [setting.rawValue, value])
    }
}
