#if Macros
import AmalgamQuery

/// Makes a struct or a final class a record: its stored properties are columns of a table.
///
/// ```
/// @Record("player")
/// struct Player {
///     @Key var id: Int64?
///     var name: String
///     var score: Int = 0
///     @Column("team_id") var teamID: Int64?
///     @Column(as: .unixTime) var createdAt: Date
///     @Ignored var isSelected = false
/// }
///
/// var player = Player(name: "Anna", createdAt: Date(timeIntervalSince1970: 1_700_000_000))
/// try player.insert(db)
/// // INSERT INTO "player" ("id", "name", "score", "team_id", "createdAt") VALUES (NULL,'Anna',0,NULL,1700000000)
/// try Player.filter { $0.score > 10 }.fetchAll(db)
/// // SELECT "id", "name", "score", "team_id", "createdAt" FROM "player" WHERE "score" > 10
/// ```
///
/// The macro writes, unless the type has it:
///
/// - `databaseTableName`, if the macro has an argument
/// - `Columns`, with a typed column for each property
/// - `databaseSelection`, with all columns in the order of declaration
/// - `init(row:)`, which looks up the columns for the first row of a statement, and then reads by position
/// - `encode(to:)`
/// - `didInsert(_:)`, if the only key is an optional `Int64` or `Int`: SQLite assigns it
/// - `id`, if the only key has another name
/// - the conformances to ``FetchableRecord``, ``MutablePersistableRecord`` or ``PersistableRecord``, and
///   `Identifiable`
///
/// Members and conformances are `nonisolated`, and as visible as the type. A property is stored like that of a
/// `Codable` record, with the strategies of the type: a type that moves from `Codable` reads and writes the same
/// values. A column that a row doesn't have is nil, or the default value of the property, or an error.
///
/// The trait `Macros` of the package has to be enabled. `Database.verify(_:)` compares the type with its table.
///
/// - Parameter tableName: The name of the table. By default, it is that of ``TableRecord``.
@attached(
    extension,
    conformances: FetchableRecord, EncodableRecord, TableRecord, MutablePersistableRecord, PersistableRecord,
    _DeclaredRecord, Identifiable,
    names: named(databaseTableName), named(Columns), named(databaseSelection), named(_recordColumns),
    named(init(row:)), named(encode(to:)), named(didInsert(_:)), named(id))
@attached(member, names: named(init(row:)), named(_Scope))
public macro Record(_ tableName: String? = nil) = #externalMacro(module: "AmalgamMacros", type: "RecordMacro")

/// Makes a struct or a final class the result of a request, such as one of a join or an aggregate: its properties
/// are read from the columns of rows, and from associations.
///
/// ```
/// @Selection
/// struct TeamInfo {
///     var team: Team
///     var playerCount: Int
/// }
///
/// let infos = try Team.annotated(with: Team.players.count).asRequest(of: TeamInfo.self).fetchAll(db)
/// // SELECT "team"."id", "team"."name", COUNT(DISTINCT "player"."id") AS "playerCount" FROM "team"
/// // LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id"
/// ```
///
/// A record is read from the association of its name, or from the columns of the row itself. An array of records is
/// read from `including(all:)`. Other properties are columns. The type conforms to ``FetchableRecord``, and has no
/// table.
@attached(extension, conformances: FetchableRecord, names: named(_recordColumns), named(init(row:)))
@attached(member, names: named(init(row:)), named(_Scope))
public macro Selection() = #externalMacro(module: "AmalgamMacros", type: "SelectionMacro")

/// Makes a struct a group of columns, which ``Record(_:)`` types embed.
///
/// ```
/// @Embeddable
/// struct Address: Equatable {
///     var street: String
///     var city: String
/// }
///
/// @Record("customer")
/// struct Customer {
///     @Key var id: Int64?
///     @Embedded(prefix: "home_") var home: Address
///     @Embedded(prefix: "work_") var work: Address?
/// }
///
/// try Customer.filter { $0.home.city == "Oslo" && $0.work.street != nil }.fetchAll(db)
/// // SELECT "id", "home_street", "home_city", "work_street", "work_city" FROM "customer"
/// // WHERE ("home_city" = 'Oslo') AND ("work_street" IS NOT NULL)
/// ```
///
/// The attributes of its properties are those of a record, except for ``Key()``: a group has no key. It may embed other
/// groups. The strategies for dates, data, UUIDs, JSON and the names of columns are those of this type.
///
/// The macro writes `Columns`, `init(row:)`, `encode(to:)`, and the conformances to ``FetchableRecord`` and
/// ``EncodableRecord``.
@attached(
    extension, conformances: FetchableRecord, EncodableRecord, _EmbeddableRecord,
    names: named(Columns), named(_recordColumns), named(init(row:)), named(init(_reader:)), named(encode(to:)),
    named(_encode(to:_:)))
@attached(member, names: named(_Scope))
public macro Embeddable() = #externalMacro(module: "AmalgamMacros", type: "EmbeddableMacro")

/// Stores the properties of a property's type, which is ``Embeddable()``, in columns of the record.
///
/// ```
/// @Record("place")
/// struct Place {
///     @Key var id: Int64?
///     @Embedded var position: Position                  // columns latitude, longitude
///     @Embedded(prefix: "from_") var origin: Position?  // columns from_latitude, from_longitude
/// }
/// ```
///
/// All columns of an optional property that is nil are NULL, and a property whose columns are all NULL is nil. Its typed
/// columns are those of the type, as optionals: `Place.Columns.origin.latitude` is a `TypedColumn<Double?>`.
///
/// - Parameter prefix: The beginning of the names of the columns.
@attached(peer)
public macro Embedded(prefix: String = "") = #externalMacro(module: "AmalgamMacros", type: "PropertyMacro")

/// Tells that a property of a ``Record(_:)`` type belongs to the primary key.
///
/// ```
/// @Record("citizenship")
/// struct Citizenship {
///     @Key var citizenId: Int64
///     @Key var countryCode: String
/// }
/// ```
///
/// An only key that is an optional `Int64` or `Int` is assigned by SQLite, and set by an insertion.
@attached(peer)
public macro Key() = #externalMacro(module: "AmalgamMacros", type: "PropertyMacro")

/// Tells that a property of a ``Record(_:)`` or ``Selection()`` type isn't a column. It needs a default value.
///
/// ```
/// @Record("note")
/// struct Note {
///     @Key var id: Int64?
///     var text: String
///     @Ignored var isSelected = false
/// }
/// ```
@attached(peer)
public macro Ignored() = #externalMacro(module: "AmalgamMacros", type: "PropertyMacro")

/// Gives the column of a property another name, or tells that the database computes it.
///
/// ```
/// @Record("invoice")
/// struct Invoice {
///     @Key var id: Int64?
///     @Column("net_amount") var net: Int
///     @Column(generated: true) var gross: Int?   // gross INTEGER AS (net_amount * 120 / 100)
/// }
/// ```
///
/// `@Column` alone says that a property with another attribute is a column with the format of its type:
/// `@Column @Guide(description: "a title") var title: String`. Without it, the attribute might be a property wrapper with a
/// separate format, which `@Record` refuses.
///
/// - Parameters:
///   - name: The name of the column. By default, it is that of the property.
///   - generated: Whether the column is generated (<https://sqlite.org/gencol.html>): it is read, and not written.
@attached(peer)
public macro Column(_ name: String? = nil, generated: Bool = false) =
    #externalMacro(module: "AmalgamMacros", type: "PropertyMacro")

/// Tells how the values of a property are stored, if not as its type says.
///
/// ```
/// @Record("event")
/// struct Event {
///     @Key var id: Int64?
///     @Column(as: .unixTime) var start: Date        // INTEGER: seconds since 1970
///     @Column("stop", as: .iso8601) var end: Date?  // TEXT: 2026-11-26T18:04:24Z
///     @Column(as: .json) var tags: [String]         // TEXT: ["a","b"]
/// }
/// ```
///
/// Columns in requests have the same representation: `Event.filter { $0.start > Date() }` compares seconds.
///
/// - Parameters:
///   - name: The name of the column. By default, it is that of the property.
///   - representation: `.json`, `.jsonb`, `.unixTime`, `.iso8601`, `.rawValue`, or a ``DatabaseRepresentation`` of the
///     application.
///   - generated: Whether the column is generated.
@attached(peer)
public macro Column<Representation: DatabaseRepresentation>(
    _ name: String? = nil, as representation: Representation, generated: Bool = false
) = #externalMacro(module: "AmalgamMacros", type: "PropertyMacro")
#endif
