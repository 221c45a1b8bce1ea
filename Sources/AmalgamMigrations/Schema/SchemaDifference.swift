public import AmalgamCore

/// The difference of two schemas.
///
/// ```swift
/// let before = try dbQueue.read { db in try db.schemaObjects(in: "main") }
/// try migrator.migrate(dbQueue)
/// let after = try dbQueue.read { db in try db.schemaObjects(in: "main") }
/// print(SchemaDifference(from: before, to: after))
/// // + CREATE TABLE team (id INTEGER PRIMARY KEY)
/// // - CREATE TABLE player (id INTEGER PRIMARY KEY)
/// // + CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER)
/// ```
///
/// Whitespace, comments, quotes around names, and case are ignored when the SQL is compared, so a table changed by
/// ALTER TABLE can equal a table made by CREATE TABLE. Internal objects of SQLite and of the library are ignored.
public struct SchemaDifference: Sendable {
    /// The objects that only the second schema contains.
    public private(set) var created: [SchemaObject] = []

    /// The objects that only the first schema contains.
    public private(set) var dropped: [SchemaObject] = []

    /// The objects that both schemas contain, with different SQL.
    public private(set) var changed: [(before: SchemaObject, after: SchemaObject)] = []

    /// Whether both schemas are equal.
    public var isEmpty: Bool { created.isEmpty && dropped.isEmpty && changed.isEmpty }

    /// Computes the difference of two schemas.
    ///
    /// ```swift
    /// let difference = SchemaDifference(from: before, to: after)
    /// print(difference.created.map(\.name))   // ["team"]
    /// ```
    ///
    /// - Parameters:
    ///   - before: the objects of the first schema, from `db.schemaObjects(in:)`.
    ///   - after: the objects of the second schema.
    public init(from before: [SchemaObject], to after: [SchemaObject]) {
        let (before, after) = (Self.byName(before), Self.byName(after))
        for object in before.objects where after.byName[Key(object)] == nil { dropped.append(object) }
        for object in after.objects {
            guard let old = before.byName[Key(object)] else {
                created.append(object)
                continue
            }
            if SQLTokens(old.sql ?? "") != SQLTokens(object.sql ?? "") { changed.append((old, object)) }
        }
    }

    private struct Key: Hashable {
        let kind: SchemaObject.Kind
        let name: TableName

        init(_ object: SchemaObject) {
            kind = object.kind
            name = TableName(object.name)
        }
    }

    private static func byName(_ objects: [SchemaObject]) -> (objects: [SchemaObject], byName: [Key: SchemaObject]) {
        let own = objects.filter { !isInternal($0.name) && !isInternal($0.tableName) }
        return (own, Dictionary(own.map { (Key($0), $0) }, uniquingKeysWith: { first, _ in first }))
    }

    private static func isInternal(_ name: String) -> Bool {
        Database.isSQLiteInternalTable(name) || Database.isGRDBInternalTable(name)
    }
}

extension SchemaDifference: CustomStringConvertible {
    /// One line for each different statement: `-` precedes statements of the first schema, and `+` those of the second
    /// schema. Empty if the schemas are equal.
    public var description: String {
        let lines =
            dropped.map { "- " + $0.text } + created.map { "+ " + $0.text }
            + changed.flatMap { ["- " + $0.before.text, "+ " + $0.after.text] }
        return lines.joined(separator: "\n")
    }
}

extension SchemaObject {
    /// The objects in the schema of the main database, without the shadow tables of virtual tables.
    static func ownObjects(_ db: Database) throws -> [SchemaObject] {
        let shadows = Set(try db.tables(in: "main").filter { $0.kind == .shadow }.map(\.name))
        return try db.schemaObjects(in: "main").filter { !shadows.contains($0.tableName) }
    }

    fileprivate var text: String { sql ?? "\(kind.rawValue) \(name)" }
}
