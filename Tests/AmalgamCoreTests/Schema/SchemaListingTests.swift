import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

struct SchemaListingTests {
    private static let schema = """
        CREATE TABLE t (a PRIMARY KEY, b);
        CREATE TABLE s (a INTEGER) STRICT;
        CREATE TABLE w (a TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE VIEW v AS SELECT a FROM t;
        CREATE INDEX i ON t(b);
        CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;
        CREATE VIRTUAL TABLE p USING rtree(id, minX, maxX);
        CREATE TEMPORARY TABLE x (a);
        """

    @Test func objects() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let objects = try db.schemaObjects(in: "MAIN")
            #expect(
                objects.map(\.name).filter { !$0.hasPrefix("p_") } == [
                    "t", "sqlite_autoindex_t_1", "s", "w", "v", "i", "r", "p",
                ])
            #expect(objects.prefix(7).map(\.kind) == [.table, .index, .table, .table, .view, .index, .trigger])
            #expect(objects.prefix(7).map(\.tableName) == ["t", "t", "s", "w", "v", "t", "t"])
            #expect(objects[0].sql == "CREATE TABLE t (a PRIMARY KEY, b)")
            #expect(objects[1].sql == nil)
            #expect(objects.allSatisfy { $0.id.schemaID == .main })
            #expect(try db.schemaObjects(in: "temp").map(\.id) == [DatabaseObjectID(name: "x", schemaID: .temp)])
            #expect(try db.schemaObjects().count == objects.count + 1)
        }
    }

    @Test func tables() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let tables = try db.tables(in: "main")
            #expect(tables.map(\.name) == ["t", "s", "w", "v", "p", "p_rowid", "p_node", "p_parent"])
            #expect(
                tables.map(\.kind) == [.table, .table, .table, .view, .virtual, .shadow, .shadow, .shadow])
            #expect(tables.filter(\.isStrict).map(\.name) == ["s", "w"])
            #expect(tables.filter(\.isWithoutRowID).map(\.name) == ["w"])
            #expect(tables[3].sql == "CREATE VIEW v AS SELECT a FROM t")
            #expect(try db.tables().last?.id == DatabaseObjectID(name: "x", schemaID: .temp))
            let table = try db.table("W")
            #expect(table.isStrict && table.isWithoutRowID && table.kind == .table)
            #expect(table.sql == "CREATE TABLE w (a TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
            #expect(try db.table("x").id.description == "temp.x")
            #expect(try db.table("sqlite_master").sql == nil)
        }
    }

    @Test func fullTextTablesHaveShadowTables() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql:
                    """
                    CREATE VIRTUAL TABLE f5 USING fts5(a);
                    CREATE VIRTUAL TABLE f4 USING fts4(a);
                    CREATE TABLE f5_x (a);
                    """
            )
            let tables = try db.tables(in: "main")
            #expect(tables.filter { $0.kind == .virtual }.map(\.name) == ["f5", "f4"])
            #expect(tables.filter { $0.kind == .table }.map(\.name) == ["f5_x"])
            #expect(tables.filter { $0.kind == .shadow }.count == 10)
        }
    }

    @Test func databases() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("archive.sqlite").path
            try DatabaseKind.memory.run { db in
                try db.execute(sql: "ATTACH DATABASE ? AS \"the archive\"", arguments: [path])
                let databases = try db.attachedDatabases()
                #expect(databases.map(\.schemaID) == [.main, .temp, .attached("the archive")])
                #expect(
                    databases.map { $0.path.map { URL(fileURLWithPath: $0).lastPathComponent } } == [
                        nil, nil, "archive.sqlite",
                    ])
                try db.execute(sql: "CREATE TABLE \"the archive\".t (a)")
                let id = try db.table("t").id
                #expect(id.schemaID == .attached("the archive"))
                #expect(id.schemaID.schemaTableName == "\"the archive\".sqlite_master")
            }
        }
    }

    @Test func namesOfDatabases() {
        #expect(DatabaseSchemaID.main.name == "main")
        #expect(DatabaseSchemaID.temp.name == "temp")
        #expect(DatabaseSchemaID.attached("a").name == "a")
        #expect(DatabaseSchemaID.main.schemaTableName == "main.sqlite_master")
        #expect(DatabaseSchemaID.temp.schemaTableName == "temp.sqlite_temp_master")
        #expect(DatabaseSchemaID.attached("a\"b").schemaTableName == "\"a\"\"b\".sqlite_master")
        #expect(DatabaseSchemaID.attached("main") != .main)
        var id = DatabaseObjectID(name: "t", schemaID: .main)
        id.name = "u"
        id.schemaID = .temp
        #expect(id == DatabaseObjectID(name: "u", schemaID: .temp))
    }

    @Test func internalTables() {
        #expect(Database.isGRDBInternalTable("grdb_migrations"))
        #expect(!Database.isGRDBInternalTable("player"))
        #expect(Database.isSQLiteInternalTable("sqlite_master"))
    }
}
