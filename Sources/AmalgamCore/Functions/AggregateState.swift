/// The state of an aggregate function for one group of rows. SQLite's aggregate context (`sqlite3_aggregate_context`)
/// retains it until SQLite calls the function's finalize callback.
///
/// SQLite calls this callback once for each group that has a state, even if the statement has failed or was reset
/// early. After an error, the methods of the aggregate aren't called again.
class AggregateState {
    fileprivate(set) var hasFailed = false

    func step(_ values: [DatabaseValue]) throws {}
    func inverse(_ values: [DatabaseValue]) throws {}
    func value() throws -> (any DatabaseValueConvertible)? { nil }
    func finalize() throws -> (any DatabaseValueConvertible)? { nil }

    /// Calls a method of the aggregate, and reports its error to SQLite. Does nothing after an error.
    final func run(_ call: FunctionCall, _ body: () throws -> Void) {
        if hasFailed { return }
        do {
            try body()
        } catch {
            hasFailed = true
            call.fail(error)
        }
    }
}

class PlainAggregateState<Aggregate: DatabaseAggregate>: AggregateState {
    fileprivate var aggregate = Aggregate()

    override func step(_ values: [DatabaseValue]) throws { try aggregate.step(values) }
    override func finalize() throws -> (any DatabaseValueConvertible)? { try aggregate.finalize() }
}

final class WindowAggregateState<Aggregate: DatabaseWindowAggregate>: PlainAggregateState<Aggregate> {
    override func inverse(_ values: [DatabaseValue]) throws { try aggregate.inverse(values) }
    override func value() throws -> (any DatabaseValueConvertible)? { try aggregate.value() }
}
