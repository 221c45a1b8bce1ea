// Types of an application that have the names of types that the macros of records write.
// Before Swift 6.3, a type named Swift hides the module.

#if compiler(>=6.3)
struct Row {}
struct Column {}
struct TypedColumn {}
struct OptionalColumns {}
struct Database {}
struct DatabaseValue {}
struct PersistenceContainer {}
struct InsertionSuccess {}
struct JSONRepresentation {}
struct JSONBRepresentation {}
struct RawValueRepresentation {}
struct UnixTimeRepresentation {}
struct ISO8601Representation {}
struct Int {}
struct Int64 {}
struct Bool {}
struct Double {}
struct String {}
struct Optional {}
struct Array {}
struct Never {}
struct Swift {}
protocol Sendable {}
protocol Identifiable {}
protocol Encodable {}
protocol FetchableRecord {}
protocol EncodableRecord {}
protocol TableRecord {}
protocol MutablePersistableRecord {}
protocol PersistableRecord {}
protocol DatabaseRepresentation {}
protocol SQLSelectable {}
#endif
