import CAmalgam

/// The arrays among the arguments of a statement. They are stored separately from other arguments, because few
/// statements have arrays.
struct ArrayArguments: Hashable, Sendable {
    private(set) var positional: [Int: SQLArray] = [:]
    private(set) var named: [String: SQLArray] = [:]

    /// Stores a positional argument if it is an array.
    static func note(_ value: (any DatabaseValueConvertible)?, at index: Int, in arrays: inout ArrayArguments?) {
        guard let array = array(value) else { return }
        if arrays == nil { arrays = ArrayArguments() }
        arrays?.positional[index] = array
    }

    /// Stores a named argument if it is an array; otherwise removes a previous array of this name.
    static func note(_ value: (any DatabaseValueConvertible)?, for name: String, in arrays: inout ArrayArguments?) {
        let array = array(value)
        if arrays == nil && array == nil { return }
        if arrays == nil { arrays = ArrayArguments() }
        arrays?.named[name] = array
    }

    private static func array(_ value: (any DatabaseValueConvertible)?) -> SQLArray? {
        guard let value else { return nil }
        // Comparing two types is cheaper than a cast, and nearly all arguments are other values.
        if type(of: value) == SQLArray.self { return value as? SQLArray }
        if type(of: value) == SQLArray?.self { return value as? SQLArray }
        return nil
    }

    /// Adds the arrays of further arguments to `arrays`.
    ///
    /// - Parameter count: The number of positional arguments before those of `arguments`.
    static func append(_ arguments: StatementArguments, to arrays: inout ArrayArguments?, after count: Int) {
        if arrays == nil && arguments.arrays == nil { return }
        for (index, array) in arguments.arrays?.positional ?? [:] { note(array, at: count + index, in: &arrays) }
        for name in arguments.namedValues.keys { note(arguments.arrays?.named[name], for: name, in: &arrays) }
    }

    mutating func dropFirst(_ count: Int) {
        guard count > 0 else { return }
        let kept = positional.filter { $0.key >= count }
        positional = Dictionary(uniqueKeysWithValues: kept.map { ($0.key - count, $0.value) })
    }

    /// - Throws: `SQLITE_MISUSE` if an array can't be bound.
    func check(sql: String) throws {
        for array in [Array(positional.values), Array(named.values)].joined() {
            if let defect = array.defect {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: defect, sql: sql)
            }
        }
    }

    /// Binds the arrays, in place of the JSON strings that were bound for them before.
    func bindPositional(to sqliteStatement: SQLiteStatement) -> CInt {
        for (index, array) in positional {
            let code = array.bind(to: sqliteStatement, at: CInt(truncatingIfNeeded: index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }
}
