extension Step.Alteration {
    /// The statements of the change; nil if it isn't SQL alone.
    var sql: String? {
        switch self {
        case .rename: "ALTER TABLE player RENAME TO gamer; ALTER TABLE gamer RENAME TO player"
        case .addAndDropColumn: "ALTER TABLE team ADD COLUMN extra DEFAULT 7; ALTER TABLE team DROP COLUMN extra"
        case .createIndex: "CREATE INDEX IF NOT EXISTS teamOnCity ON team(city, team)"
        case .dropIndex: "DROP INDEX IF EXISTS teamOnCity"
        case .recreateView:
            "DROP VIEW cities; CREATE VIEW cities AS SELECT city, count(*) AS n FROM team GROUP BY city"
        case .createTrigger:
            "CREATE TRIGGER IF NOT EXISTS idle AFTER UPDATE ON team BEGIN SELECT count(*) FROM player; END"
        case .dropTrigger: "DROP TRIGGER IF EXISTS idle"
        case .rebuildBook: nil
        case .exchangeBooks:
            """
            INSERT INTO book (title, body) VALUES ('a b', 'c'); INSERT INTO page (title, body) VALUES ('a', 'd d d'); \
            ALTER TABLE book RENAME TO other; ALTER TABLE page RENAME TO book; ALTER TABLE other RENAME TO page
            """
        }
    }
}
