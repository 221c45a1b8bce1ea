#if Macros
/// The types that macros write, with their modules: the application, or the record itself, may declare another `Row`.
///
/// Swift 6.3 has module selectors. In earlier versions, an application's type that has the name of a module hides it.
enum Name {
    static let row = "AmalgamCore\(selector)Row"
    static let selectable = "AmalgamCore\(selector)SQLSelectable"
    static let typedColumn = "AmalgamQuery\(selector)TypedColumn"
    static let represented = "AmalgamQuery\(selector)Represented"
    static let optionalColumns = records("OptionalColumns")
    static let recordColumns = records("_RecordColumns")
    static let reader = records("_RecordReader")
    static let writer = records("_RecordWriter")
    static let container = records("PersistenceContainer")
    static let inserted = records("InsertionSuccess")

    #if compiler(>=6.3)
    private static let selector = "::"
    #else
    private static let selector = "."
    #endif

    /// A type of the standard library.
    static func swift(_ name: String) -> String { "Swift\(selector)\(name)" }

    /// A type of AmalgamRecords.
    static func records(_ name: String) -> String { "AmalgamRecords\(selector)\(name)" }

    /// A type of AmalgamJSON.
    static func json(_ name: String) -> String { "AmalgamJSON\(selector)\(name)" }
}
#endif
