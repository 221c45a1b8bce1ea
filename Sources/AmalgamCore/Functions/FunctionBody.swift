/// The implementation of a function, in the form in which it is registered with SQLite.
@usableFromInline
enum FunctionBody: Sendable {
    case typed(TypedFunction)
    case values(ValuesFunction)
    case aggregate(AggregateFactory)
    case window(AggregateFactory)

    /// Whether the function returns one value for each row, rather than one for a group of rows.
    var isScalar: Bool {
        switch self {
        case .typed, .values: true
        case .aggregate, .window: false
        }
    }

    /// The object that implements the function. ``FunctionSlot`` has a pointer to it.
    var object: any AnyObject & Sendable {
        switch self {
        case .typed(let function): function
        case .values(let function): function
        case .aggregate(let factory), .window(let factory): factory
        }
    }

    /// Whether SQLite calls both bodies by the same callbacks.
    func hasSameShape(as other: FunctionBody) -> Bool {
        switch (self, other) {
        case (.typed, .typed), (.values, .values), (.aggregate, .aggregate), (.window, .window): true
        default: false
        }
    }
}

/// A function that decodes its arguments itself.
@usableFromInline
final class TypedFunction: Sendable {
    private let body: @Sendable (FunctionCall) throws -> Void

    @usableFromInline
    init(_ body: @escaping @Sendable (FunctionCall) throws -> Void) {
        self.body = body
    }

    func call(_ call: FunctionCall) {
        do { try body(call) } catch { call.fail(error) }
    }
}

/// A function that receives its arguments as an array.
@usableFromInline
final class ValuesFunction: Sendable {
    private let body: @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?

    init(_ body: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?) {
        self.body = body
    }

    func call(_ call: FunctionCall, _ values: [DatabaseValue]) {
        do {
            switch try body(values) {
            case let value?: value.setFunctionResult(call.result)
            case nil: call.result.setNull()
            }
        } catch {
            call.fail(error)
        }
    }
}

/// Creates the states of an aggregate, one for each group of rows.
@usableFromInline
final class AggregateFactory: Sendable {
    let make: @Sendable () -> AggregateState

    init<Aggregate: DatabaseAggregate>(_ type: Aggregate.Type) {
        make = { PlainAggregateState<Aggregate>() }
    }

    init<Aggregate: DatabaseWindowAggregate>(window type: Aggregate.Type) {
        make = { WindowAggregateState<Aggregate>() }
    }
}

extension FunctionCall {
    package func setResult(_ value: (any DatabaseValueConvertible)?) {
        if let value { value.setFunctionResult(result) } else { result.setNull() }
    }
}
