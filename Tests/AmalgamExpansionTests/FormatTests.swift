#if Macros
import Testing

@Suite("Formats that a macro can't see")
struct FormatTests {
    @Test("property wrappers, unless the format or '@Ignored' is written")
    func wrappers() {
        expectDiagnostic(
            "@Record\nstruct Note {\n    var id: Int\n    @Millis var at: Date\n}",
            "struct Note {\n    var id: Int\n    @Millis var at: Date\n}",
            """
            '@Millis' may be a property wrapper with its own format, which the record wouldn't use: tell what is stored \
            with '@Column(as:)', or with '@Column' for the format of the type, or add '@Ignored'
            """, line: 4, column: 5, fixIt: "add '@Ignored'",
            fixedSource: "@Record\nstruct Note {\n    var id: Int\n    @Ignored @Millis var at: Date\n}")
    }

    @Test("an embedded type that reads rows or writes columns itself")
    func embeddedCoding() {
        let encode = "func encode(to container: inout PersistenceContainer) {}"
        expectDiagnostic(
            "@Embeddable\nstruct Money {\n    var amount: Int\n    \(encode)\n}",
            "struct Money {\n    var amount: Int\n    \(encode)\n}",
            "records that embed the type don't call its 'encode(to:)': give its properties formats with '@Column(as:)'",
            line: 4, column: 5)
        expectDiagnostic(
            "@Embeddable\nstruct Money {\n    var amount: Int\n    init(row: Row) { amount = 1 }\n}",
            "struct Money {\n    var amount: Int\n    init(row: Row) { amount = 1 }\n}",
            "records that embed the type don't call its 'init(row:)': give its properties formats with '@Column(as:)'",
            line: 4, column: 5)
    }

    @Test("a constant key, and a record without properties to assign: no unused constant")
    func constants() {
        expectExpansion(
            """
            @Selection
            struct Constants {
                let number: Int = 2
            }
            """,
            """
            struct Constants {
                let number: Int = 2
            }

            nonisolated extension Constants: _FetchableRecord {
                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 1) { list in
                    list.add(0, "number", Int.self, defaultValue: 2)
                }

                init(row _row: AmalgamCore::Row) throws {

                }
            }
            """)
        expectExpansion(
            """
            @Record
            struct Item {
                @Key let id: Int64?
                typealias Columns = Never
                static let databaseSelection: [any SQLSelectable] = []
                init(row: Row) { fatalError() }
                func encode(to container: inout PersistenceContainer) {}
            }
            """,
            """
            struct Item {
                let id: Int64?
                typealias Columns = Never
                static let databaseSelection: [any SQLSelectable] = []
                init(row: Row) { fatalError() }
                func encode(to container: inout PersistenceContainer) {}
            }

            nonisolated extension Item: _FetchableRecord, _EncodableRecord, _TableRecord, _MutablePersistableRecord, _PersistableRecord, _DeclaredRecord, _Identifiable {
                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 1) { list in
                    list.add(0, "id", Int64?.self, isKey: true, isConstant: true)
                }
            }
            """)
    }

    @Test("numbers with a representation, and a property with the name id that isn't the key")
    func representedNumbers() {
        expectExpansion(
            """
            @Record
            struct Item {
                @Key var code: String
                var id: Int
                @Column(as: Cents()) var price: Double?
                static let databaseSelection: [any SQLSelectable] = []
                init(row: Row) { fatalError() }
                func encode(to container: inout PersistenceContainer) {}
            }
            """,
            """
            struct Item {
                var code: String
                var id: Int
                var price: Double?
                static let databaseSelection: [any SQLSelectable] = []
                init(row: Row) { fatalError() }
                func encode(to container: inout PersistenceContainer) {}
            }

            nonisolated extension Item: _FetchableRecord, _EncodableRecord, _TableRecord, _MutablePersistableRecord, _PersistableRecord, _DeclaredRecord {
                enum Columns {
                    static var code: AmalgamQuery::TypedColumn<String> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(0))
                    }
                    static var id: AmalgamQuery::TypedColumn<Int> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(1))
                    }
                    static var price: AmalgamQuery::TypedColumn<AmalgamQuery::Represented<Double>?> {
                        AmalgamQuery::TypedColumn(_recordColumns.columnName(2), as: Cents())
                    }
                }

                static let _recordColumns = AmalgamRecords::_RecordColumns(Self.self, count: 3) { list in
                    list.add(0, "code", String.self, isKey: true)
                    list.add(1, "id", Int.self)
                    list.add(2, "price", Double?.self, representation: Cents())
                }
            }
            """)
    }
}
#endif
