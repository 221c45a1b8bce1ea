/// The aggregate of one group of rows. SQLite holds a reference to it between the first row and the result.
///
/// SQLite calls `finalize` once for each group that has a state, also when the statement fails or is reset half way, and
/// does not say which: so an aggregate that has thrown only goes away.
class AggregateState {
    fileprivate(set) var hasFailed = false

    func step(_ values: [DatabaseValue]) throws {}
    func inverse(_ values: [DatabaseValue]) throws {}
    func value() throws -> (any DatabaseValueConvertible)? { nil }
    func finalize() throws -> (any DatabaseValueConvertible)? { nil }

    /// Runs a part of the aggregate, and tells SQLite of its error.
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
