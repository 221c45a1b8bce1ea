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

            nonisolated extension Player: _FetchableRecord, _EncodableRecord, _TableRecord, _MutablePersistableRecord, _DeclaredRecord, _Identifiable {
                static var databaseTableName: Swift::String { "player" }

                enum Columns {
                    static var id: AmalgamQuery::TypedColumn<Int64?> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(0))
                    }
                    static var score: AmalgamQuery::TypedColumn<Int> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(1))
                    }
                    static var teamID: AmalgamQuery::TypedColumn<Int?> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(2))
                    }
                    static var tags: AmalgamQuery::TypedColumn<[String]> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(3), as: AmalgamRecords::JSONRepresentation<[String]>())
                    }
                    static var total: AmalgamQuery::TypedColumn<Int> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(4))
                    }
                }

                static var databaseSelection: [any AmalgamCore::SQLSelectable] {
                    _recordColumns._selection
                }

                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 5) { list in
                    list.add(0, "id", Int64?.self, isKey: true)
                    list.add(1, "score", Int.self, defaultValue: 0)
                    list.add(2, "team_id", Int?.self)
                    list.add(3, "tags", [String].self, representation: AmalgamRecords::JSONRepresentation<[String]>())
                    list.add(4, "total", Int.self, isGenerated: true)
                }

                init(row _row: AmalgamCore::Row) throws {
                    let _reader = try AmalgamRecords::_RecordReader(_row, Self._recordColumns)
                    self.id = try _reader.value(0, ifPresent: Int64.self)
                    self.score = try _reader.value(1, Int.self, default: 0)
                    self.teamID = try _reader.value(2, ifPresent: Int.self)
                    self.tags = try _reader.value(3, [String].self, as: AmalgamRecords::JSONRepresentation<[String]>())
                    self.total = try _reader.value(4, Int.self)
                }

                func encode(to _container: inout AmalgamRecords::PersistenceContainer) throws {
                    let _writer = try _container._writer(Self._recordColumns)
                    try _container._set(_writer, 0, self.id)
                    try _container._set(_writer, 1, self.score)
                    try _container._set(_writer, 2, self.teamID)
                    try _container._set(_writer, 3, self.tags, as: AmalgamRecords::JSONRepresentation<[String]>())
                }

                mutating func didInsert(_ inserted: AmalgamRecords::InsertionSuccess) {
                    if let _rowID = inserted._rowID(of: Self.self) { self.id = _rowID }
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

            nonisolated extension Tag: _FetchableRecord, _EncodableRecord, _TableRecord, _MutablePersistableRecord, _PersistableRecord, _DeclaredRecord, _Identifiable {
                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 1) { list in
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

            nonisolated extension TeamInfo: _FetchableRecord {
                public static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 2) { list in
                    list.add(0, "team", Team.self)
                    list.add(1, "playerCount", Int.self)
                }

                public init(row _row: AmalgamCore::Row) throws {
                    let _reader = try AmalgamRecords::_RecordReader(_row, Self._recordColumns)
                    self.team = try _reader.value(0, Team.self)
                    self.playerCount = try _reader.value(1, Int.self)
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

            nonisolated extension Address: _FetchableRecord, _EncodableRecord, _EmbeddableRecord {
                public struct Columns: _EmbeddedColumns {
                    private let _embeddedColumns: AmalgamRecords::_RecordColumns

                    public init(_columns: AmalgamRecords::_RecordColumns) {
                        self._embeddedColumns = _columns
                    }

                    public var street: AmalgamQuery::TypedColumn<String> {
                        AmalgamQuery::TypedColumn(_embeddedColumns.columnName(0))
                    }
                    var code: AmalgamQuery::TypedColumn<[Int]?> {
                        AmalgamQuery::TypedColumn(_embeddedColumns.columnName(1), as: AmalgamRecords::JSONRepresentation<[Int]>())
                    }
                    var position: AmalgamRecords::OptionalColumns<Position.Columns> {
                        AmalgamRecords::OptionalColumns(_columns: Position.Columns(_columns: _embeddedColumns._embedded(2)))
                    }
                }

                public static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 3) { list in
                    list.add(0, "street", String.self)
                    list.add(1, "zip", [Int]?.self, representation: AmalgamRecords::JSONRepresentation<[Int]>())
                    list.embed(2, Position.self, prefix: "at_", isOptional: true)
                }

                public init(_reader: AmalgamRecords::_RecordReader) throws {
                    self.street = try _reader.value(0, String.self)
                    self.code = try _reader.value(1, ifPresent: [Int].self, as: AmalgamRecords::JSONRepresentation<[Int]>())
                    self.position = try _reader.embedded(2, ifPresent: Position.self)
                }

                public init(row _row: AmalgamCore::Row) throws {
                    try self.init(_reader: AmalgamRecords::_RecordReader(_row, Self._recordColumns))
                }

                public func _encode(to _container: inout AmalgamRecords::PersistenceContainer, _ _writer: AmalgamRecords::_RecordWriter) throws {
                    try _container._set(_writer, 0, self.street)
                    try _container._set(_writer, 1, self.code, as: AmalgamRecords::JSONRepresentation<[Int]>())
                    try _container._embed(_writer, 2, self.position)
                }

                public func encode(to _container: inout AmalgamRecords::PersistenceContainer) throws {
                    try _encode(to: &_container, _container._writer(Self._recordColumns))
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

            nonisolated extension Place: _FetchableRecord, _EncodableRecord, _TableRecord, _MutablePersistableRecord, _PersistableRecord, _DeclaredRecord, _Identifiable {
                enum Columns {
                    static var id: AmalgamQuery::TypedColumn<Int64> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(0))
                    }
                    static var position: Position.Columns {
                        Position.Columns(_columns: _recordColumns._embedded(1))
                    }
                    static var origin: AmalgamRecords::OptionalColumns<Position.Columns> {
                        AmalgamRecords::OptionalColumns(_columns: Position.Columns(_columns: _recordColumns._embedded(2)))
                    }
                }

                static var databaseSelection: [any AmalgamCore::SQLSelectable] {
                    _recordColumns._selection
                }

                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 3) { list in
                    list.add(0, "id", Int64.self, isKey: true)
                    list.embed(1, Position.self, prefix: "")
                    list.embed(2, Position.self, prefix: "from_", isOptional: true)
                }

                init(row _row: AmalgamCore::Row) throws {
                    let _reader = try AmalgamRecords::_RecordReader(_row, Self._recordColumns)
                    self.id = try _reader.value(0, Int64.self)
                    self.position = try _reader.embedded(1, Position.self)
                    self.origin = try _reader.embedded(2, ifPresent: Position.self, default: Position.zero)
                }

                func encode(to _container: inout AmalgamRecords::PersistenceContainer) throws {
                    let _writer = try _container._writer(Self._recordColumns)
                    try _container._set(_writer, 0, self.id)
                    try _container._embed(_writer, 1, self.position)
                    try _container._embed(_writer, 2, self.origin)
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

    @Test("columns that differ in the case of other letters than those of ASCII are different ones")
    func unicodeColumns() {
        expectDiagnostic(
            "@Selection\nstruct Note {\n    @Column(\"é\") var a: Int\n    @Column(\"É\") var b: Int\n    @Column(\"é\") var c: Int\n}",
            "struct Note {\n    var a: Int\n    var b: Int\n    var c: Int\n}",
            "two properties have the column 'é'", line: 5, column: 23)
    }

    @Test("two embedded properties with the same columns")
    func sameColumns() {
        expectDiagnostic(
            "@Record\nstruct Person {\n    @Embedded var home: Address\n    @Embedded var work: Address?\n}",
            "struct Person {\n    var home: Address\n    var work: Address?\n}",
            "two embedded properties have the same columns: give one of them a prefix, '@Embedded(prefix: \"a_\")'",
            line: 4, column: 19)
        expectDiagnostic(
            "@Record\nstruct Person {\n    @Embedded(prefix: \"A_\") var a: Address\n    @Embedded(prefix: \"a_\") var b: Address\n}",
            "struct Person {\n    var a: Address\n    var b: Address\n}",
            "two embedded properties have the same columns: give one of them a prefix, '@Embedded(prefix: \"a_\")'",
            line: 4, column: 33)
    }

    @Test("a class of the main actor")
    func mainActor() {
        expectDiagnostic(
            "@MainActor\n@Record\nfinal class Note {\n    var id: Int = 0\n}",
            "@MainActor\nfinal class Note {\n    var id: Int = 0\n}",
            "connections read and write records on their threads: remove '@MainActor', or use a struct", line: 1,
            column: 1)
        expectDiagnostic(
            "@_Concurrency.MainActor\n@Record\nfinal class Note {\n    var id: Int = 0\n}",
            "@_Concurrency.MainActor\nfinal class Note {\n    var id: Int = 0\n}",
            "connections read and write records on their threads: remove '@MainActor', or use a struct", line: 1,
            column: 1)
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
