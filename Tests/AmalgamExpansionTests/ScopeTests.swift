#if Macros
import SwiftIfConfig
import SwiftSyntax
import Testing

/// What the declaration of a record is in: `#if` clauses, and other types.
@Suite("Expansions: conditions and scopes")
struct ScopeTests {
    private let configuration = StaticBuildConfiguration(
        customConditions: ["CLOUD"], languageVersion: VersionTuple(6), compilerVersion: VersionTuple(6, 3))

    @Test("members and attributes in an '#if': those of the active clause")
    func activeClauses() {
        expectExpansion(
            """
            @Selection
            struct Note {
                #if CLOUD
                @Column("cloud_id")
                #endif
                var id: Int64
                #if CLOUD
                var version: Int
                #else
                var missing: NoSuchType
                init(row: Row) {}
                #endif
            }
            """,
            """
            struct Note {
                #if CLOUD
                @Column("cloud_id")
                #endif
                var id: Int64
                #if CLOUD
                var version: Int
                #else
                var missing: NoSuchType
                init(row: Row) {}
                #endif
            }

            nonisolated extension Note: _FetchableRecord {
                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 2) { list in
                    list.add(0, "cloud_id", Int64.self)
                    list.add(1, "version", Int.self)
                }

                init(row _row: AmalgamCore::Row) throws {
                    let _reader = try AmalgamRecords::_RecordReader(_row, Self._recordColumns)
                    self.id = try _reader.value(0, Int64.self)
                    self.version = try _reader.value(1, Int.self)
                }
            }
            """, configuration: configuration)
    }

    @Test("a condition that the compiler doesn't tell: properties of all clauses, but no attributes")
    func unknownConditions() {
        expectExpansion(
            """
            @Selection
            struct Note {
                var id: Int64
                #if canImport(Cloud)
                var version: Int
                #endif
            }
            """,
            """
            struct Note {
                var id: Int64
                #if canImport(Cloud)
                var version: Int
                #endif
            }

            nonisolated extension Note: _FetchableRecord {
                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 2) { list in
                    list.add(0, "id", Int64.self)
                    #if canImport(Cloud)
                    list.add(1, "version", Int.self)
                    #endif
                }

                init(row _row: AmalgamCore::Row) throws {
                    let _reader = try AmalgamRecords::_RecordReader(_row, Self._recordColumns)
                    self.id = try _reader.value(0, Int64.self)
                    #if canImport(Cloud)
                    self.version = try _reader.value(1, Int.self)
                    #endif
                }
            }
            """, configuration: configuration)
        expectDiagnostic(
            "@Record\nstruct Note {\n    #if canImport(Cloud)\n    @Column(\"x\")\n    #endif\n    var id: Int\n}",
            "struct Note {\n    #if canImport(Cloud)\n    @Column(\"x\")\n    #endif\n    var id: Int\n}",
            "the macro can't tell whether the attribute applies: declare the property in the '#if'", line: 3, column: 5,
            configuration: configuration)
    }

    @Test("a type in another type: its extension doesn't see the names that its declaration sees")
    func nestedTypes() {
        expectExpansion(
            """
            enum Game {
                @Selection
                struct Round {
                    var id: Int64
                    var level: Level
                    var start: Date?
                    var kind: Kind = .normal
                    @Column(as: .json) var tags: [Tag]
                }
            }
            """,
            """
            enum Game {
                struct Round {
                    var id: Int64
                    var level: Level
                    var start: Date?
                    var kind: Kind = .normal
                    var tags: [Tag]

                    nonisolated enum _Scope {
                        typealias type_level = Level
                        typealias type_start = Date
                        typealias type_kind = Kind
                        static var default_kind: Kind { .normal }
                        typealias type_tags = [Tag]
                    }
                }
            }

            nonisolated extension Game.Round: _FetchableRecord {
                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 5) { list in
                    list.add(0, "id", Int64.self)
                    list.add(1, "level", _Scope.type_level.self)
                    list.add(2, "start", _Scope.type_start?.self)
                    list.add(3, "kind", _Scope.type_kind.self, hasDefault: true)
                    list.add(4, "tags", _Scope.type_tags.self, representation: AmalgamRecords::JSONRepresentation<_Scope.type_tags>())
                }

                init(row _row: AmalgamCore::Row) throws {
                    let _reader = try AmalgamRecords::_RecordReader(_row, Self._recordColumns)
                    self.id = try _reader.value(0, Int64.self)
                    self.level = try _reader.value(1, _Scope.type_level.self)
                    self.start = try _reader.value(2, ifPresent: _Scope.type_start.self)
                    self.kind = try _reader.value(3, _Scope.type_kind.self, default: _Scope.default_kind)
                    self.tags = try _reader.value(4, _Scope.type_tags.self, as: AmalgamRecords::JSONRepresentation<_Scope.type_tags>())
                }
            }
            """)
    }

    @Test("a record in a public extension, with columns of the levels of its properties")
    func accessLevels() {
        expectExpansion(
            """
            public extension Game {
                @Embeddable
                struct Score {
                    private enum Kind: String, Codable {
                        case high
                    }
                    public var points: Int
                    package var level: Int
                    fileprivate var bonus: Int
                    private var kind: Kind = .high
                    var `Type`: Int
                }
            }
            """,
            """
            public extension Game {
                struct Score {
                    private enum Kind: String, Codable {
                        case high
                    }
                    public var points: Int
                    package var level: Int
                    fileprivate var bonus: Int
                    private var kind: Kind = .high
                    var `Type`: Int
                }
            }

            nonisolated extension Game.Score: _FetchableRecord, _EncodableRecord, _EmbeddableRecord {
                public struct Columns: _EmbeddedColumns {
                    private let _embeddedColumns: AmalgamRecords::_RecordColumns

                    public init(_columns: AmalgamRecords::_RecordColumns) {
                        self._embeddedColumns = _columns
                    }

                    public var points: AmalgamQuery::TypedColumn<Int> {
                        AmalgamQuery::TypedColumn(_embeddedColumns.columnName(0))
                    }
                    package var level: AmalgamQuery::TypedColumn<Int> {
                        AmalgamQuery::TypedColumn(_embeddedColumns.columnName(1))
                    }
                    fileprivate var bonus: AmalgamQuery::TypedColumn<Int> {
                        AmalgamQuery::TypedColumn(_embeddedColumns.columnName(2))
                    }
                    private var kind: AmalgamQuery::TypedColumn<Kind> {
                        AmalgamQuery::TypedColumn(_embeddedColumns.columnName(3))
                    }
                    var `Type`: AmalgamQuery::TypedColumn<Int> {
                        AmalgamQuery::TypedColumn(_embeddedColumns.columnName(4))
                    }
                }

                public static var _recordColumns: AmalgamRecords::_RecordColumns {
                    AmalgamRecords::_RecordColumns.of(Self.self, count: 5) { list in
                        list.add(0, "points", Int.self)
                        list.add(1, "level", Int.self)
                        list.add(2, "bonus", Int.self)
                        list.add(3, "kind", Kind.self, hasDefault: true)
                        list.add(4, "Type", Int.self)
                    }
                }

                public init(_reader: AmalgamRecords::_RecordReader) throws {
                    self.points = try _reader.value(0, Int.self)
                    self.level = try _reader.value(1, Int.self)
                    self.bonus = try _reader.value(2, Int.self)
                    self.kind = try _reader.value(3, Kind.self, default: .high)
                    self.`Type` = try _reader.value(4, Int.self)
                }

                public init(row _row: AmalgamCore::Row) throws {
                    try self.init(_reader: AmalgamRecords::_RecordReader(_row, Self._recordColumns))
                }

                public func _encode(to _container: inout AmalgamRecords::PersistenceContainer, _ _writer: AmalgamRecords::_RecordWriter) throws {
                    try _container._set(_writer, 0, self.points)
                    try _container._set(_writer, 1, self.level)
                    try _container._set(_writer, 2, self.bonus)
                    try _container._set(_writer, 3, self.kind)
                    try _container._set(_writer, 4, self.`Type`)
                }

                public func encode(to _container: inout AmalgamRecords::PersistenceContainer) throws {
                    try _encode(to: &_container, _container._writer(Self._recordColumns))
                }
            }
            """)
    }
}
#endif
