import Amalgam
import Testing

/// Classes can be values, and subclasses can store something different.
@Suite struct ClassHierarchyTests {
    class Parent: DatabaseValueConvertible {
        required init() {}
        var databaseValue: DatabaseValue { "parent".databaseValue }

        class func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { self.init() }
    }

    final class Child: Parent {
        override var databaseValue: DatabaseValue { "child".databaseValue }
    }

    @Test func subclasses() throws {
        try withDatabase { db in
            #expect(try String.fetchAll(db, sql: "SELECT ?", arguments: [Parent()]) == ["parent"])
            #expect(try String.fetchAll(db, sql: "SELECT ?", arguments: [Child()]) == ["child"])
            let children: [Child] = try Child.fetchAll(db, sql: "SELECT 1 UNION SELECT 2")
            #expect(children.count == 2)
            let parent: Parent? = try Parent.fetchOne(db, sql: "SELECT 1")
            #expect(parent != nil)
        }
    }
}
