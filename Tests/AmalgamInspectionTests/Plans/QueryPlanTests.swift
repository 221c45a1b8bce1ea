import Amalgam
@testable import AmalgamInspection
import CAmalgam
import TestSupport
import Testing

struct QueryPlanTests {
    private func run(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            try db.execute(sql: "CREATE INDEX player_on_name ON player(name)")
            try test(db)
        }
    }

    @Test func aPlanReadsAsInTheShell() throws {
        try run { db in
            let plan = try db.queryPlan(sql: "SELECT * FROM player WHERE name = ? ORDER BY score")
            #expect(
                plan.description == """
                    QUERY PLAN
                    |--SEARCH player USING INDEX player_on_name (name=?)
                    `--USE TEMP B-TREE FOR ORDER BY
                    """)
            #expect(plan.usesIndex("player_on_name"))
            #expect(plan.usesIndex("PLAYER_ON_NAME"))
            #expect(!plan.usesIndex("player_on_score"))
            #expect(plan.searches(table: "player"))
            #expect(!plan.scans(table: "player"))
            #expect(plan.sorts)
            #expect(plan.usesTemporaryBTree(for: "ORDER BY"))
            #expect(!plan.usesTemporaryBTree(for: "GROUP BY"))
            #expect(!plan.usesAutomaticIndex)
            let search = try #require(plan.nodes.first)
            #expect(search.indexName == "player_on_name")
            #expect(search.tableName == "player")
            #expect(!search.isCovering)
            #expect(search.access?.constraint == "name=?")
        }
    }

    @Test func subqueriesAreBranches() throws {
        try run { db in
            let plan = try db.queryPlan(
                sql: "SELECT name, (SELECT name FROM team WHERE id = teamId) FROM player UNION SELECT name, 1 FROM team"
            )
            #expect(plan.nodes.map(\.kind) == [.compound])
            #expect(plan.allNodes.contains { $0.kind == .subquery })
            #expect(plan.searches(table: "team"))
            #expect(plan.scans(table: "player"))
            #expect(plan.description.hasPrefix("QUERY PLAN\n`--"))
            #expect(plan.description.contains("|--"))
            #expect(Set(plan.allNodes.map(\.id)).count == plan.allNodes.count)
        }
    }

    @Test func scansAndCoveringIndexes() throws {
        try run { db in
            #expect(try db.queryPlan(sql: "SELECT * FROM player").scans(table: "player"))
            let covering = try db.queryPlan(sql: "SELECT name FROM player ORDER BY name")
            #expect(covering.scans(table: "player"))
            #expect(covering.nodes.first?.isCovering == true)
            #expect(!covering.sorts)
            let key = try db.queryPlan(sql: "SELECT * FROM player AS p WHERE id = 1")
            #expect(key.searches(table: "p"))
            #expect(!key.searches(table: "player"))
            #expect(key.nodes.first?.access?.usesPrimaryKey == true)
            #expect(key.nodes.first?.indexName == nil)
        }
    }

    @Test func automaticIndexesAreTold() throws {
        try run { db in
            try db.execute(sql: "CREATE TABLE a (x); CREATE TABLE b (x)")
            let plan = try db.queryPlan(sql: "SELECT * FROM a LEFT JOIN b ON a.x = b.x")
            #expect(plan.usesAutomaticIndex)
            #expect(plan.searches(table: "b"))
        }
    }

    @Test func constantRowsAreNoTable() throws {
        try run { db in
            let plan = try db.queryPlan(sql: "SELECT 1")
            #expect(plan.nodes.map(\.detail) == ["SCAN CONSTANT ROW"])
            #expect(plan.nodes.map(\.kind) == [.other])
            #expect(try db.queryPlan(sql: "INSERT INTO team VALUES (3, 'x')").nodes == [])
            #expect(try db.queryPlan(sql: "INSERT INTO team VALUES (3, 'x')").description == "QUERY PLAN")
        }
    }

    @Test func nothingRuns() throws {
        try run { db in
            #expect(try db.queryPlan(sql: "DELETE FROM player WHERE name = 'Anna'").usesIndex("player_on_name"))
            _ = try db.bytecode(sql: "DELETE FROM player")
            #expect(try db.playerNames == ["Anna", "Bo", "Cleo"])
        }
    }

    @Test func aStatementStaysAsItIs() throws {
        try run { db in
            let statement = try db.cachedStatement(sql: "SELECT name FROM player WHERE id >= ? ORDER BY id")
            let cursor = try String.fetchCursor(statement, arguments: [2])
            #expect(try cursor.next() == "Bo")
            #expect(statement.isBusy)
            let plan = try statement.queryPlan()
            let bytecode = try statement.bytecode()
            #expect(plan.searches(table: "player"))
            #expect(bytecode.contains(opcode: "SeekGE"))
            #expect(try cursor.next() == "Cleo")
            #expect(try cursor.next() == nil)
            #expect(!statement.isBusy)
            #expect(statement.arguments == [2])
            #expect(try db.cachedStatement(sql: statement.sql) === statement)
            #expect(try String.fetchAll(statement) == ["Bo", "Cleo"])
        }
    }

    @Test func explanationsAreNotTraced() throws {
        try run { db in
            try expectEqual(db.tracing { _ = try db.queryPlan(sql: "SELECT * FROM player") }, [])
        }
    }

    @Test func mistakesHaveTheirPlace() throws {
        try run { db in
            let failure = expectCode(.SQLITE_ERROR) { try db.queryPlan(sql: "SELECT nme FROM player") }
            #expect(failure?.sqlExcerpt == "SELECT nme FROM player\n       ^")
        }
    }

    @Test func oneStatementIsExplained() throws {
        try run { db in
            expectCode(.SQLITE_MISUSE) { try db.queryPlan(sql: "SELECT 1; SELECT 2") }
            expectCode(.SQLITE_ERROR) { try db.bytecode(sql: "") }
        }
    }

    @Test func explanationsOfExplanations() throws {
        try run { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN SELECT * FROM player")
            #expect(statement.explanation == .queryPlan)
            #expect(try statement.queryPlan().scans(table: "player"))
            #expect(try statement.bytecode().contains(opcode: "OpenRead"))
            #expect(try db.makeStatement(sql: "EXPLAIN SELECT 1").explanation == .bytecode)
            #expect(try db.makeStatement(sql: "SELECT 1").explanation == nil)
        }
    }

    @Test func detailsWithTrailers() {
        func node(_ detail: String) -> QueryPlan.Node { QueryPlan.Node(id: 1, detail: detail) }
        let counted = node("SEARCH p USING COVERING INDEX i (a=? AND b>?) LEFT-JOIN (~96 rows)")
        #expect(counted.estimatedRowCount == 96)
        #expect(counted.indexName == "i")
        #expect(counted.isCovering)
        #expect(counted.access?.constraint == "a=? AND b>?")
        let virtual = node("SCAN doc VIRTUAL TABLE INDEX 0:M1")
        #expect(virtual.tableName == "doc")
        #expect(virtual.access?.virtualTablePlan == "0:M1")
        #expect(node("SCAN p EXISTS").tableName == "p")
        #expect(node("SEARCH t USING PRIMARY KEY (a=?)").access?.usesPrimaryKey == true)
        #expect(node("SEARCH t USING AUTOMATIC COVERING INDEX (a=?)").access?.isAutomatic == true)
        #expect(node("SEARCH t USING AUTOMATIC COVERING INDEX (a=?)").indexName == nil)
        #expect(node("SCAN 3 CONSTANT ROWS").kind == .other)
        #expect(node("CO-ROUTINE x").kind == .coroutine("x"))
        #expect(node("MATERIALIZE x").kind == .materialization("x"))
        #expect(node("CORRELATED LIST SUBQUERY 2").kind == .subquery)
        #expect(node("MULTI-INDEX OR").kind == .multiIndexOr)
        #expect(node("BLOOM FILTER ON t (a=?)").kind == .bloomFilter)
        #expect(node("MERGE (UNION)").kind == .compound)
    }
}

struct BytecodeTests {
    @Test func aProgramReadsAsATable() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let bytecode = try db.bytecode(sql: "SELECT name FROM player")
            #expect(bytecode.instructions.first?.opcode == "Init")
            #expect(bytecode.instructions.map(\.address) == Array(bytecode.instructions.indices))
            let lines = bytecode.description.split(separator: "\n")
            #expect(lines.count == bytecode.instructions.count + 2)
            #expect(lines[0].hasPrefix("addr  opcode"))
            #expect(lines[1].hasPrefix("----  ------"))
            #expect(lines[2].hasPrefix("0     Init"))
            #expect(!lines.contains { $0.hasSuffix(" ") })
        }
    }

    @Test func normalizedSQLHoldsNoValue() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name = 'Anna' AND id IN (1, 2)")
            if SQLiteBuild.hasOption("ENABLE_NORMALIZE") {
                let sql = try statement.normalizedSQL
                #expect(!sql.contains("Anna"))
                #expect(sql == "SELECT*FROM player WHERE name=?AND id IN(?,?,?);")
            } else {
                expectCode(.SQLITE_MISUSE) { try statement.normalizedSQL }
            }
        }
    }
}
