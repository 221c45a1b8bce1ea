import CAmalgam

/// A function on one connection: what SQLite's pointer to user data points to.
///
/// SQLite owns the slot, and does not change the function of a slot while a statement runs. So that a function can be
/// replaced nevertheless, the slot refers to its body, and lets another one take its place. The body that ran until then
/// may be the one that does it: it is kept until no statement runs.
///
/// Used from the thread that uses the connection.
final class FunctionSlot {
    private(set) var function: DatabaseFunction

    /// The body of the function, kept alive by `function`. A call retains neither.
    private var body: Unmanaged<AnyObject>

    /// The array that functions of values receive, reused from call to call.
    private var storage: [DatabaseValue] = []

    /// The slots of the functions that every connection has.
    nonisolated(unsafe) static let defaults = DatabaseFunction.defaults.map { FunctionSlot($0) }
    // Unsafe: these slots are in no registry, so that nobody replaces their functions, which are typed and use no
    // storage.

    init(_ function: DatabaseFunction) {
        self.function = function
        body = .passUnretained(function.body.object)
    }

    /// Puts another function in the place of this one, if SQLite calls both in the same way.
    ///
    /// - Returns: whether it did.
    func replace(with newFunction: DatabaseFunction) -> Bool {
        guard
            newFunction.isPure == function.isPure, newFunction.options == function.options,
            newFunction.body.hasSameShape(as: function.body)
        else { return false }
        function = newFunction
        body = .passUnretained(newFunction.body.object)
        return true
    }

    @inline(__always)
    fileprivate static func of(_ call: FunctionCall) -> Unmanaged<FunctionSlot> {
        .fromOpaque(sqlite3_user_data(call.context).unsafelyUnwrapped)
    }

    @inline(__always)
    fileprivate func body<Body: AnyObject>(as type: Body.Type) -> Unmanaged<Body> { .fromOpaque(body.toOpaque()) }

    /// Lends an array of the arguments. A function that calls itself by way of a statement finds the storage taken.
    @inline(__always)
    fileprivate func withValues(_ call: FunctionCall, _ body: ([DatabaseValue]) -> Void) {
        var values: [DatabaseValue] = []
        swap(&values, &storage)
        let holdsBytes = call.fill(&values)
        body(values)
        // Texts and blobs go away now, and so does the storage when the function has kept it.
        if holdsBytes { values.removeAll(keepingCapacity: true) }
        swap(&values, &storage)
    }
}

// MARK: - Registration

extension FunctionSlot {
    /// Makes SQLite call the function.
    ///
    /// - Returns: SQLite's code: `SQLITE_BUSY` when there is such a function already, and a statement runs.
    func register(on connection: SQLiteConnection) -> CInt {
        let name = function.name
        let count = CInt(clamping: function.id.argumentCount)
        let flags = SQLITE_UTF8 | (function.isPure ? SQLITE_DETERMINISTIC : 0) | function.options.rawValue
        // SQLite releases the slot also when it refuses the function.
        let slot = Unmanaged.passRetained(self).toOpaque()
        switch function.body {
        case .typed:
            return sqlite3_create_function_v2(
                connection, name, count, flags, slot, Self.callTyped, nil, nil, Self.release)
        case .values:
            return sqlite3_create_function_v2(
                connection, name, count, flags, slot, Self.callValues, nil, nil, Self.release)
        case .aggregate:
            return sqlite3_create_function_v2(
                connection, name, count, flags, slot, nil, Self.step, Self.finalize, Self.release)
        case .window:
            return sqlite3_create_window_function(
                connection, name, count, flags, slot, Self.step, Self.finalize, Self.value, Self.inverse,
                Self.release)
        }
    }

    private typealias Callback =
        @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { slot in
        if let slot { Unmanaged<FunctionSlot>.fromOpaque(slot).release() }
    }
}

// MARK: - Functions

extension FunctionSlot {
    private static let callTyped: Callback = { context, count, values in
        let call = FunctionCall(context, count, values)
        of(call)._withUnsafeGuaranteedRef { slot in
            slot.body(as: TypedFunction.self)._withUnsafeGuaranteedRef { $0.call(call) }
        }
    }

    private static let callValues: Callback = { context, count, values in
        let call = FunctionCall(context, count, values)
        of(call)._withUnsafeGuaranteedRef { slot in
            slot.body(as: ValuesFunction.self)._withUnsafeGuaranteedRef { function in
                slot.withValues(call) { function.call(call, $0) }
            }
        }
    }
}

// MARK: - Aggregates

extension FunctionSlot {
    private static let step: Callback = { context, count, values in
        let call = FunctionCall(context, count, values)
        of(call)._withUnsafeGuaranteedRef { slot in
            guard let state = slot.state(call) else { return sqlite3_result_error_nomem(call.context) }
            slot.withValues(call) { values in state.run(call) { try state.step(values) } }
        }
    }

    private static let inverse: Callback = { context, count, values in
        let call = FunctionCall(context, count, values)
        of(call)._withUnsafeGuaranteedRef { slot in
            guard let state = slot.state(call) else { return sqlite3_result_error_nomem(call.context) }
            slot.withValues(call) { values in state.run(call) { try state.inverse(values) } }
        }
    }

    private static let value: @convention(c) (OpaquePointer?) -> Void = { context in
        let call = FunctionCall(context, 0, nil)
        of(call)._withUnsafeGuaranteedRef { slot in
            // A window without any row has no state yet.
            let state = existingState(call)?.takeUnretainedValue() ?? slot.makeState()
            state.run(call) { call.setResult(try state.value()) }
        }
    }

    private static let finalize: @convention(c) (OpaquePointer?) -> Void = { context in
        let call = FunctionCall(context, 0, nil)
        of(call)._withUnsafeGuaranteedRef { slot in
            // A group without any row has no state.
            let state = existingState(call)?.takeRetainedValue() ?? slot.makeState()
            state.run(call) { call.setResult(try state.finalize()) }
        }
    }

    private func makeState() -> AggregateState {
        body(as: AggregateFactory.self)._withUnsafeGuaranteedRef { $0.make() }
    }

    /// The state of the group, made at its first row; nil when memory is exhausted.
    private func state(_ call: FunctionCall) -> AggregateState? {
        guard let place = Self.place(call, size: MemoryLayout<UnsafeRawPointer>.size) else { return nil }
        if let state = place.pointee { return state.takeUnretainedValue() }
        let state = makeState()
        place.pointee = Unmanaged.passRetained(state)
        return state
    }

    private static func existingState(_ call: FunctionCall) -> Unmanaged<AggregateState>? {
        place(call, size: 0)?.pointee
    }

    /// Where SQLite keeps the reference to the state of a group: zero at first.
    private static func place(_ call: FunctionCall, size: Int) -> UnsafeMutablePointer<Unmanaged<AggregateState>?>? {
        sqlite3_aggregate_context(call.context, CInt(size))?
            .assumingMemoryBound(to: Unmanaged<AggregateState>?.self)
    }
}
