import CAmalgam

/// A function on one connection: the object that SQLite passes to the function's callbacks (`sqlite3_user_data`).
///
/// SQLite owns the slot, and can't replace it while a statement runs. Instead, ``replace(with:)`` replaces the slot's
/// reference to the body of the function. The previous body may be running, so `FunctionRegistry` retains this body
/// until no statement runs.
///
/// Only the thread that uses the connection uses the slot.
final class FunctionSlot {
    private(set) var function: DatabaseFunction

    /// The body of the function. The property `function` retains the body, so a call needn't retain it.
    private var body: Unmanaged<AnyObject>

    /// The storage of the array that functions of values receive, reused from call to call.
    private var storage: [DatabaseValue] = []

    /// The slots of the functions that every connection has.
    nonisolated(unsafe) static let defaults = DatabaseFunction.defaults.map { FunctionSlot($0) }
    // `nonisolated(unsafe)`, but never mutated: the functions of these slots are never replaced, and, as typed
    // functions, don't use `storage`.

    init(_ function: DatabaseFunction) {
        self.function = function
        body = .passUnretained(function.body.object)
    }

    /// Replaces the function, if the new function has the same callbacks and flags.
    ///
    /// - Returns: whether the function was replaced.
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

    /// Calls a closure with an array of the arguments, which uses the memory of `storage`. If the function runs a
    /// statement that calls the function again, the nested call finds `storage` empty, and allocates a new array.
    @inline(__always)
    fileprivate func withValues(_ call: FunctionCall, _ body: ([DatabaseValue]) -> Void) {
        var values: [DatabaseValue] = []
        swap(&values, &storage)
        let holdsBytes = call.fill(&values)
        body(values)
        // Releases strings and blobs. If the function has retained the array, this also allocates new storage.
        if holdsBytes { values.removeAll(keepingCapacity: true) }
        swap(&values, &storage)
    }
}

// MARK: - Registration

extension FunctionSlot {
    /// Registers the function with SQLite.
    ///
    /// - Returns: SQLite's result code: `SQLITE_BUSY` if the function exists already, and a statement runs.
    func register(on connection: SQLiteConnection) -> CInt {
        let name = function.name
        let count = CInt(clamping: function.id.argumentCount)
        let flags = SQLITE_UTF8 | (function.isPure ? SQLITE_DETERMINISTIC : 0) | function.options.rawValue
        // SQLite releases the slot even if it refuses the function.
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
    /// Refuses a call if a limit of time is exceeded: a row may have thousands of calls, between which SQLite doesn't look at
    /// its progress handler. Without limits, this looks at one variable of the thread.
    private static func refusesCall(_ context: OpaquePointer?) -> Bool {
        if amalgam_thread_must_stop() == 0 { return false }
        sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        return true
    }

    private static let callTyped: Callback = { context, count, values in
        if refusesCall(context) { return }
        let call = FunctionCall(context, count, values)
        of(call)._withUnsafeGuaranteedRef { slot in
            slot.body(as: TypedFunction.self)._withUnsafeGuaranteedRef { $0.call(call) }
        }
    }

    private static let callValues: Callback = { context, count, values in
        if refusesCall(context) { return }
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
            // A window without rows has no state yet.
            let state = existingState(call)?.takeUnretainedValue() ?? slot.makeState()
            state.run(call) { call.setResult(try state.value()) }
        }
    }

    private static let finalize: @convention(c) (OpaquePointer?) -> Void = { context in
        let call = FunctionCall(context, 0, nil)
        of(call)._withUnsafeGuaranteedRef { slot in
            // A group without rows has no state.
            let state = existingState(call)?.takeRetainedValue() ?? slot.makeState()
            state.run(call) { call.setResult(try state.finalize()) }
        }
    }

    private func makeState() -> AggregateState {
        body(as: AggregateFactory.self)._withUnsafeGuaranteedRef { $0.make() }
    }

    /// The state of the group, created at its first row; nil if memory is exhausted.
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

    /// The address in SQLite's aggregate context that holds the reference to the state of a group: initially nil.
    private static func place(_ call: FunctionCall, size: Int) -> UnsafeMutablePointer<Unmanaged<AggregateState>?>? {
        sqlite3_aggregate_context(call.context, CInt(size))?
            .assumingMemoryBound(to: Unmanaged<AggregateState>?.self)
    }
}
