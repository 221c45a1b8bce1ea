import CAmalgam

/// The arrays among the arguments of a statement, beside their values: nearly no statement has any.
struct ArrayArguments: Hashable, Sendable {
    private(set) var positional: [Int: SQLArray] = [:]
    private(set) var named: [String: SQLArray] = [:]

    /// Remembers an argument that is an array.
    static func note(_ value: (any DatabaseValueConvertible)?, at index: Int, in arrays: inout ArrayArguments?) {
        guard let array = array(value) else { return }
        if arrays == nil { arrays = ArrayArguments() }
        arrays?.positional[index] = array
    }

    /// Remembers, or forgets, what is given for a name.
    static func note(_ value: (any DatabaseValueConvertible)?, for name: String, in arrays: inout ArrayArguments?) {
        let array = array(value)
        if arrays == nil && array == nil { return }
        if arrays == nil { arrays = ArrayArguments() }
        arrays?.named[name] = array
    }

    private static func array(_ value: (any DatabaseValueConvertible)?) -> SQLArray? {
        guard let value else { return nil }
        // The comparison of two types is cheaper than a cast, and nearly all arguments are no arrays.
        if type(of: value) == SQLArray.self { return value as? SQLArray }
        if type(of: value) == SQLArray?.self { return value as? SQLArray }
        return nil
    }

    /// Adds the arrays of other arguments.
    ///
    /// - Parameter count: the number of positional arguments before them.
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

    /// - throws: `SQLITE_MISUSE` when an array cannot be bound.
    func check(sql: String) throws {
        for array in [Array(positional.values), Array(named.values)].joined() {
            if let defect = array.defect {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: defect, sql: sql)
            }
        }
    }

    /// Binds the arrays over the values that stand for them.
    func bindPositional(to sqliteStatement: SQLiteStatement) -> CInt {
        for (index, array) in positional {
            let code = array.bind(to: sqliteStatement, at: CInt(truncatingIfNeeded: index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }
}
