#if Macros
import Testing

@Suite("Expansions")
struct ExpansionTests {
    @Test("a record with a key that SQLite assigns")
    func record() {
        expectExpansion(
            """
            @Record("player")
            struct Player {
                @Key var id: Int64?
                var score: Int = 0
                @Column("team_id") var teamID: Int?
                @Column(as: .json) var tags: [String]
                @Column(generated: true) var total: Int
                @Ignored var isSelected = false
                var double: Int { 2 * score }
            }
            """,
            """
            struct Player {
                var id: Int64?
                var score: Int = 0
                var teamID: Int?
                var tags: [String]
                var total: Int
                var isSelected = false
                var double: Int { 2 * score }
            }

            nonisolated extension Player: FetchableRecord, EncodableRecord, TableRecord, MutablePersistableRecord, _DeclaredRecord, Identifiable {
                static var databaseTableName: String { "player" }

                enum Columns {
                    static var id: TypedColumn<Int64?> {
                        TypedColumn(_recordColumns.columnName(0))
                    }
                    static var score: TypedColumn<Int> {
                        TypedColumn(_recordColumns.columnName(1))
                    }
                    static var teamID: TypedColumn<Int?> {
                        TypedColumn(_recordColumns.columnName(2))
                    }
                    static var tags: TypedColumn<[String]> {
                        TypedColumn(_recordColumns.columnName(3), as: JSONRepresentation<[String]>())
                    }
                    static var total: TypedColumn<Int> {
                        TypedColumn(_recordColumns.columnName(4))
                    }
                }

                static var databaseSelection: [any SQLSelectable] {
                    _recordColumns._selection
                }

                static let _recordColumns = _RecordColumns(Self.self, count: 5) { list in
                    list.add(0, "id", Int64?.self, isKey: true)
                    list.add(1, "score", Int.self, defaultValue: 0)
                    list.add(2, "team_id", Int?.self)
                    list.add(3, "tags", [String].self, hasRepresentation: true)
                    list.add(4, "total", Int.self, isGenerated: true)
                }

                init(row: Row) throws {
                    let reader = _RecordReader(row, Self._recordColumns)
                    self.id = try reader.value(0, ifPresent: Int64.self)
                    self.score = try reader.value(1, Int.self, default: 0)
                    self.teamID = try reader.value(2, ifPresent: Int.self)
                    self.tags = try reader.value(3, [String].self, as: JSONRepresentation<[String]>())
                    self.total = try reader.value(4, Int.self)
                }

                func encode(to container: inout PersistenceContainer) throws {
                    let writer = container._writer(Self._recordColumns)
                    try container._set(writer, 0, self.id)
                    try container._set(writer, 1, self.score)
                    try container._set(writer, 2, self.teamID)
                    try container._set(writer, 3, self.tags, as: JSONRepresentation<[String]>())
                }

                mutating func didInsert(_ inserted: InsertionSuccess) {
                    self.id = inserted._rowID(of: Self.self)
                }
            }
            """)
    }

    @Test("members that the type declares itself aren't written")
    func ownMembers() {
        expectExpansion(
            """
            @Record
            struct Tag {
                @Key var name: String
                static let databaseTableName = "tags"
                static let databaseSelection: [any SQLSelectable] = []
                enum Columns {}
                init(row: Row) { name = row[0] }
                func encode(to container: inout PersistenceContainer) {}
            }
            """,
            """
            struct Tag {
                var name: String
                static let databaseTableName = "tags"
                static let databaseSelection: [any SQLSelectable] = []
                enum Columns {}
                init(row: Row) { name = row[0] }
                func encode(to container: inout PersistenceContainer) {}
            }

            nonisolated extension Tag: FetchableRecord, EncodableRecord, TableRecord, MutablePersistableRecord, PersistableRecord, _DeclaredRecord, Identifiable {
                static let _recordColumns = _RecordColumns(Self.self, count: 1) { list in
                    list.add(0, "name", String.self, isKey: true)
                }

                var id: String { self.name }
            }
            """)
    }

    @Test("a selection is read, and not written")
    func selection() {
        expectExpansion(
            """
            @Selection
            public struct TeamInfo {
                var team: Team
                var playerCount: Int
            }
            """,
            """
            public struct TeamInfo {
                var team: Team
                var playerCount: Int
            }

            nonisolated extension TeamInfo: FetchableRecord {
                public static let _recordColumns = _RecordColumns(Self.self, count: 2) { list in
                    list.add(0, "team", Team.self)
                    list.add(1, "playerCount", Int.self)
                }

                public init(row: Row) throws {
                    let reader = _RecordReader(row, Self._recordColumns)
                    self.team = try reader.value(0, Team.self)
                    self.playerCount = try reader.value(1, Int.self)
                }
            }
            """)
    }
}

extension ExpansionTests {
    @Test("a type that records embed")
    func embeddable() {
        expectExpansion(
            """
            @Embeddable
            public struct Address {
                public var street: String
                @Column("zip", as: .json) var code: [Int]?
                @Embedded(prefix: "at_") var position: Position?
            }
            """,
            """
            public struct Address {
                public var street: String
                var code: [Int]?
                var position: Position?
            }

            nonisolated extension Address: FetchableRecord, EncodableRecord, _EmbeddableRecord {
                public struct Columns: _EmbeddedColumns, Sendable {
                    private let _columns: _RecordColumns

                    public init(_columns: _RecordColumns) {
                        self._columns = _columns
                    }

                    public var street: TypedColumn<String> {
                        TypedColumn(_columns.columnName(0))
                    }
                    public var code: TypedColumn<[Int]?> {
                        TypedColumn(_columns.columnName(1), as: JSONRepresentation<[Int]>())
                    }
                    public var position: OptionalColumns<Position.Columns> {
                        OptionalColumns(_columns: Position.Columns(_columns: _columns._embedded(2)))
                    }
                }

                public static let _recordColumns = _RecordColumns(Self.self, count: 3) { list in
                    list.add(0, "street", String.self)
                    list.add(1, "zip", [Int]?.self, hasRepresentation: true)
                    list.embed(2, Position.self, prefix: "at_", isOptional: true)
                }

                public init(_reader reader: _RecordReader) throws {
                    self.street = try reader.value(0, String.self)
                    self.code = try reader.value(1, ifPresent: [Int].self, as: JSONRepresentation<[Int]>())
                    self.position = try reader.embedded(2, ifPresent: Position.self)
                }

                public init(row: Row) throws {
                    try self.init(_reader: _RecordReader(row, Self._recordColumns))
                }

                public func _encode(to container: inout PersistenceContainer, _ writer: _RecordWriter) throws {
                    try container._set(writer, 0, self.street)
                    try container._set(writer, 1, self.code, as: JSONRepresentation<[Int]>())
                    try container._embed(writer, 2, self.position)
                }

                public func encode(to container: inout PersistenceContainer) throws {
                    try _encode(to: &container, container._writer(Self._recordColumns))
                }
            }
            """)
    }

    @Test("a record that embeds types")
    func embedded() {
        expectExpansion(
            """
            @Record
            struct Place {
                @Key var id: Int64
                @Embedded var position: Position
                @Embedded(prefix: "from_") var origin: Position? = Position.zero
            }
            """,
            """
            struct Place {
                var id: Int64
                var position: Position
                var origin: Position? = Position.zero
            }

            nonisolated extension Place: FetchableRecord, EncodableRecord, TableRecord, MutablePersistableRecord, PersistableRecord, _DeclaredRecord, Identifiable {
                enum Columns {
                    static var id: TypedColumn<Int64> {
                        TypedColumn(_recordColumns.columnName(0))
                    }
                    static var position: Position.Columns {
                        Position.Columns(_columns: _recordColumns._embedded(1))
                    }
                    static var origin: OptionalColumns<Position.Columns> {
                        OptionalColumns(_columns: Position.Columns(_columns: _recordColumns._embedded(2)))
                    }
                }

                static var databaseSelection: [any SQLSelectable] {
                    _recordColumns._selection
                }

                static let _recordColumns = _RecordColumns(Self.self, count: 3) { list in
                    list.add(0, "id", Int64.self, isKey: true)
                    list.embed(1, Position.self, prefix: "")
                    list.embed(2, Position.self, prefix: "from_", isOptional: true)
                }

                init(row: Row) throws {
                    let reader = _RecordReader(row, Self._recordColumns)
                    self.id = try reader.value(0, Int64.self)
                    self.position = try reader.embedded(1, Position.self)
                    self.origin = try reader.embedded(2, ifPresent: Position.self, default: Position.zero)
                }

                func encode(to container: inout PersistenceContainer) throws {
                    let writer = container._writer(Self._recordColumns)
                    try container._set(writer, 0, self.id)
                    try container._embed(writer, 1, self.position)
                    try container._embed(writer, 2, self.origin)
                }
            }
            """)
    }
}

@Suite("Diagnostics")
struct DiagnosticTests {
    @Test("a record is a struct or a final class")
    func kinds() {
        expectDiagnostic(
            "@Record\nenum Color {\n    case red\n}", "enum Color {\n    case red\n}",
            "a record is a struct or a final class", line: 2, column: 1)
        expectDiagnostic(
            "@Record\nclass Player {\n    var name: String = \"\"\n}", "class Player {\n    var name: String = \"\"\n}",
            "a class that is a record must be final: add 'final'", line: 2, column: 7, fixIt: "add 'final'",
            fixedSource: "@Record\nfinal class Player {\n    var name: String = \"\"\n}")
    }

    @Test("a type without stored properties")
    func noColumns() {
        expectDiagnostic(
            "@Record\nstruct Empty {\n}", "struct Empty {\n}",
            "the type has no stored property that could be a column", line: 2, column: 1)
    }

    @Test("a property without a type")
    func needsType() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id = UUID()\n}", "struct Note {\n    var id = UUID()\n}",
            "write the type of the property: the macro can't infer it from the default value", line: 3, column: 9)
    }

    @Test("tuples")
    func tuples() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    var (a, b) = (1, 2)\n}", "struct Note {\n    var (a, b) = (1, 2)\n}",
            "declare one property per name: a column can't be a tuple", line: 3, column: 9)
    }

    @Test("lazy, weak and unowned properties")
    func modifiers() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id: Int\n    lazy var text: String = \"\"\n}",
            "struct Note {\n    var id: Int\n    lazy var text: String = \"\"\n}",
            "a lazy property can't be a column: add '@Ignored'", line: 4, column: 5, fixIt: "add '@Ignored'",
            fixedSource: "@Record\nstruct Note {\n    var id: Int\n    @Ignored lazy var text: String = \"\"\n}")
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id: Int\n    weak var owner: Owner?\n}",
            "struct Note {\n    var id: Int\n    weak var owner: Owner?\n}",
            "a weak or unowned property can't be a column: add '@Ignored'", line: 4, column: 5,
            fixIt: "add '@Ignored'",
            fixedSource: "@Record\nstruct Note {\n    var id: Int\n    @Ignored weak var owner: Owner?\n}")
    }

    @Test("ignored properties")
    func ignored() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id: Int\n    @Ignored var text: String\n}",
            "struct Note {\n    var id: Int\n    var text: String\n}",
            "an ignored property needs a default value, because no column has its value", line: 4, column: 18)
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id: Int\n    @Ignored @Column(\"t\") var text: String = \"\"\n}",
            "struct Note {\n    var id: Int\n    var text: String = \"\"\n}",
            "an ignored property has no column: remove the other attribute", line: 4, column: 5)
    }

    @Test("names that aren't literals")
    func names() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    @Column(name) var id: Int\n}", "struct Note {\n    var id: Int\n}",
            "the name of a column must be a string literal without interpolation", line: 3, column: 13)
        expectDiagnostic(
            "@Record(name)\nstruct Note {\n    var id: Int\n}", "struct Note {\n    var id: Int\n}",
            "the name of a table must be a string literal without interpolation", line: 1, column: 9)
    }

    @Test("two properties with one column")
    func sameColumn() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    var text: String\n    @Column(\"TEXT\") var body: String\n}",
            "struct Note {\n    var text: String\n    var body: String\n}",
            "two properties have the column 'TEXT'", line: 4, column: 25)
    }

    @Test("attributes of properties that aren't columns")
    func attributes() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id: Int\n    @Column(\"n\") var next: Int { id + 1 }\n}",
            "struct Note {\n    var id: Int\n    var next: Int { id + 1 }\n}",
            "'@Column' belongs to a stored property", line: 4, column: 5)
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id: Int\n    @Key static var next = 1\n}",
            "struct Note {\n    var id: Int\n    static var next = 1\n}",
            "'@Key' belongs to a stored property", line: 4, column: 5)
    }

    @Test("types that records embed, and properties that embed them")
    func embedded() {
        expectDiagnostic(
            "@Embeddable\nfinal class Address {\n    var city: String = \"\"\n}",
            "final class Address {\n    var city: String = \"\"\n}", "a type that records embed is a struct", line: 2,
            column: 7)
        expectDiagnostic(
            "@Embeddable\nstruct Address {\n    @Key var city: String\n}",
            "struct Address {\n    var city: String\n}",
            "a type that records embed has no key: declare the key in the record", line: 3, column: 5)
        expectDiagnostic(
            "@Record\nstruct Place {\n    @Embedded @Column(\"p\") var position: Position\n}",
            "struct Place {\n    var position: Position\n}",
            "an embedded property has several columns: remove '@Column'", line: 3, column: 15)
        expectDiagnostic(
            "@Record\nstruct Place {\n    @Embedded(prefix: name) var position: Position\n}",
            "struct Place {\n    var position: Position\n}",
            "the prefix of columns must be a string literal without interpolation", line: 3, column: 23)
        expectDiagnostic(
            "@Record\nstruct Place {\n    var id: Int\n    @Embedded var position: Position { Position() }\n}",
            "struct Place {\n    var id: Int\n    var position: Position { Position() }\n}",
            "'@Embedded' belongs to a stored property", line: 4, column: 5)
    }

    @Test("keys of selections, and generated keys")
    func keys() {
        expectDiagnostic(
            "@Selection\nstruct Info {\n    @Key var id: Int\n}", "struct Info {\n    var id: Int\n}",
            "a selection has no key: it is read, and not written", line: 3, column: 5)
        expectDiagnostic(
            "@Record\nstruct Note {\n    @Key @Column(generated: true) var id: Int\n}",
            "struct Note {\n    var id: Int\n}",
            "a key can't be generated: SQLite doesn't allow it", line: 3, column: 5)
    }
}
#endif
