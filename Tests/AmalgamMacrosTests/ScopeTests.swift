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

            nonisolated extension Note: FetchableRecord {
                static let _recordColumns = _RecordColumns(Self.self, count: 2) { list in
                    list.add(0, "cloud_id", Int64.self)
                    list.add(1, "version", Int.self)
                }

                init(row: Row) throws {
                    let reader = _RecordReader(row, Self._recordColumns)
                    self.id = try reader.value(0, Int64.self)
                    self.version = try reader.value(1, Int.self)
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

            nonisolated extension Note: FetchableRecord {
                static let _recordColumns = _RecordColumns(Self.self, count: 2) { list in
                    list.add(0, "id", Int64.self)
                    #if canImport(Cloud)
                    list.add(1, "version", Int.self)
                    #endif
                }

                init(row: Row) throws {
                    let reader = _RecordReader(row, Self._recordColumns)
                    self.id = try reader.value(0, Int64.self)
                    #if canImport(Cloud)
                    self.version = try reader.value(1, Int.self)
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
                        typealias level = Level
                        typealias start = Date
                        typealias kind = Kind
                        static var kindDefault: Kind { .normal }
                        typealias tags = [Tag]
                    }
                }
            }

            nonisolated extension Game.Round: FetchableRecord {
                static let _recordColumns = _RecordColumns(Self.self, count: 5) { list in
                    list.add(0, "id", Int64.self)
                    list.add(1, "level", _Scope.level.self)
                    list.add(2, "start", _Scope.start?.self)
                    list.add(3, "kind", _Scope.kind.self, hasDefault: true)
                    list.add(4, "tags", _Scope.tags.self, hasRepresentation: true)
                }

                init(row: Row) throws {
                    let reader = _RecordReader(row, Self._recordColumns)
                    self.id = try reader.value(0, Int64.self)
                    self.level = try reader.value(1, _Scope.level.self)
                    self.start = try reader.value(2, ifPresent: _Scope.start.self)
                    self.kind = try reader.value(3, _Scope.kind.self, default: _Scope.kindDefault)
                    self.tags = try reader.value(4, _Scope.tags.self, as: JSONRepresentation<_Scope.tags>())
                }
            }
            """)
    }
}
#endif
