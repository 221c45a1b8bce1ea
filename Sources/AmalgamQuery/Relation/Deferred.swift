import AmalgamCore

/// A part of a request: a value, or a closure that computes the value from a connection.
enum Deferred<Value: Sendable>: Sendable {
    case known(Value)
    case whenConnected(@Sendable (Database) throws -> Value)

    /// The value, unless a closure computes it.
    var known: Value? {
        switch self {
        case .known(let value): value
        case .whenConnected: nil
        }
    }

    func resolve(_ db: Database) throws -> Value {
        switch self {
        case .known(let value): value
        case .whenConnected(let value): try value(db)
        }
    }

    func map<Result>(_ transform: @escaping @Sendable (Value) -> Result) -> Deferred<Result> {
        switch self {
        case .known(let value): .known(transform(value))
        case .whenConnected(let value): .whenConnected { db in try transform(value(db)) }
        }
    }
}
