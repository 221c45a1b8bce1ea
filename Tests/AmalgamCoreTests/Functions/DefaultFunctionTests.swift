import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

struct DefaultFunctionTests {
    @Test(arguments: [
        (DatabaseFunction.capitalize, "swiftCapitalizedString", "Jérôme"),
        (.lowercase, "swiftLowercaseString", "jérôme"), (.uppercase, "swiftUppercaseString", "JÉRÔME"),
        (.localizedCapitalize, "swiftLocalizedCapitalizedString", "Jérôme"),
        (.localizedLowercase, "swiftLocalizedLowercaseString", "jérôme"),
        (.localizedUppercase, "swiftLocalizedUppercaseString", "JÉRÔME"),
    ])
    func strings(_ function: DatabaseFunction, name: String, result: String) throws {
        #expect(function.name == name)
        for kind in DatabaseKind.allCases {
            try kind.open { writer throws in
                try writer.read { db throws in
                    #expect(try String.fetchOne(db, sql: "SELECT \(name)('jérÔME')") == result)
                    let (sql, arguments) = try ("SELECT \(function("jérÔME"))" as SQL).build(db)
                    #expect(try String.fetchOne(db, sql: sql, arguments: arguments) == result)
                    #expect(try DatabaseValue.fetchOne(db, sql: "SELECT \(name)(NULL)") == .null)
                    #expect(try DatabaseValue.fetchOne(db, sql: "SELECT \(name)(1)") == .null)
                }
            }
        }
    }

    @Test func upperOfSQLiteKnowsASCIIOnly() throws {
        try DatabaseKind.memory.run { db throws in
            #expect(try String.fetchOne(db, sql: "SELECT upper('Roué')") == "ROUé")
            #expect(try String.fetchOne(db, sql: "SELECT swiftUppercaseString('Roué')") == "ROUÉ")
        }
    }

    @Test func preparationsFindThemAndMayReplaceThem() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db throws in
            #expect(try String.fetchOne(db, sql: "SELECT swiftUppercaseString('é')") == "É")
            db.add(function: DatabaseFunction("swiftUppercaseString", argumentCount: 1) { _ in "mine" })
        }
        try DatabaseKind.memory.run(configuration) { db throws in
            #expect(try String.fetchOne(db, sql: "SELECT swiftUppercaseString('é')") == "mine")
        }
    }

    @Test func indexesMayUseThem() throws {
        try DatabaseKind.file.run { db throws in
            try db.createTeams()
            try db.execute(sql: "CREATE INDEX i ON player(swiftLocalizedUppercaseString(name))")
            let sql = "SELECT name FROM player INDEXED BY i WHERE swiftLocalizedUppercaseString(name) = 'ANNA'"
            #expect(try String.fetchAll(db, sql: sql) == ["Anna"])
        }
    }

    /// The schema of an untrusted file may call these functions.
    @Test func theyAreInnocuous() throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; CREATE VIEW v AS SELECT swiftUppercaseString('é') AS a")
            #expect(try String.fetchOne(db, sql: "SELECT a FROM v") == "É")
        }
    }

    @Test func openingTracesNothing() throws {
        let traced = Shared<[String]>([])
        var configuration = Configuration()
        configuration.prepareDatabase { db throws in
            db.trace { traced.value.append("\($0)") }
            db.add(function: DatabaseFunction("f") { 1 })
            db.add(collation: DatabaseCollation("c") { _, _ in .orderedSame })
        }
        try DatabaseKind.memory.run(configuration) { db throws in
            try db.execute(sql: "SELECT f(), swiftUppercaseString('a') ORDER BY 1 COLLATE swiftCompare")
        }
        #expect(traced.value == ["SELECT f(), swiftUppercaseString('a') ORDER BY 1 COLLATE swiftCompare"])
    }

    @Test func theyCanBeRemoved() throws {
        try DatabaseKind.memory.run { db throws in
            db.remove(function: .uppercase)
            expectError(
                .SQLITE_ERROR, "no such function: swiftUppercaseString", sql: "SELECT swiftUppercaseString('a')"
            ) {
                try db.execute(sql: "SELECT swiftUppercaseString('a')")
            }
            db.add(function: .uppercase)
            #expect(try String.fetchOne(db, sql: "SELECT swiftUppercaseString('a')") == "A")
        }
    }
}
