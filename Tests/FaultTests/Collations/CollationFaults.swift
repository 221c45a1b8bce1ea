import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Collations: if strings can't be compared, an error is thrown, and an index stays in order.
@Suite struct CollationFaults {
    private static let backwards = DatabaseCollation("backwards") { lhs, rhs in
        lhs == rhs ? .orderedSame : lhs < rhs ? .orderedDescending : .orderedAscending
    }

    @Test(arguments: Weather.allocations([.memory, .pool]))
    func order(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'")
            try db.createTeams()
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                db.add(collation: Self.backwards)
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name COLLATE backwards"))
                attempt.note(
                    try String.fetchAll(db, sql: "SELECT name FROM player WHERE name COLLATE backwards < 'Bo'"))
                db.remove(collation: Self.backwards)
            }
        }
    }

    /// The default collations are created when a statement names them.
    @Test(arguments: Weather.memory)
    func defaults(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let sql = "SELECT name FROM player ORDER BY name COLLATE \(DatabaseCollation.localizedCompare.name)"
                attempt.note(try String.fetchAll(db, sql: sql))
            }
        }
    }

    /// Operations that can fail while an index exists, on a connection that adds the collation when it opens. The index
    /// is temporary, because other connections don't have the collation.
    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal]))
    func index(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            var configuration = Configuration.inFaults
            configuration.prepareDatabase { $0.add(collation: Self.backwards) }
            try attempt.step { try attempt.connect(configuration) }
            try attempt.step { db in
                try db.execute(
                    sql: """
                        DROP TABLE IF EXISTS temp.name;
                        CREATE TEMP TABLE name (name TEXT PRIMARY KEY COLLATE backwards);
                        INSERT INTO name SELECT name FROM player;
                        """)
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM name ORDER BY name"))
            }
        }
    }
}
