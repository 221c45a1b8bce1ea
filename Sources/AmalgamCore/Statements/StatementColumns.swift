/// The names of the columns of a statement, shared by its rows and their copies.
public final class StatementColumns: Sendable {
    /// From left to right; duplicates are kept.
    @usableFromInline
    package let names: [String]

    /// Whether two names differ by their case at most. Then only a scan finds the leftmost one.
    @usableFromInline
    let hasDuplicates: Bool

    /// How often SQLite had compiled the statement again when the names were read.
    let recompilations: CInt

    package init(names: [String], recompilations: CInt = 0) {
        self.names = names
        self.recompilations = recompilations
        hasDuplicates = Set(names.map { $0.lowercased() }).count < names.count
    }

    /// The position of the leftmost column with this name, whatever its case, or nil.
    @usableFromInline
    package func index(of name: String) -> Int? {
        names.firstIndex { $0.equalsIgnoringCase(name) }
    }
}

/// Guesses which column a live row is asked for next.
///
/// Names are nearly always asked for in the same order, row after row. So the predictor remembers, for each column,
/// which one was asked for after it. That one is tried first, and an equal small string is one comparison of two
/// words. A wrong guess costs a scan, once.
///
/// It lives in memory of its own: a stored property of a class would pay for a run-time check of exclusive access,
/// which takes longer than all the rest.
@usableFromInline
struct ColumnPredictor {
    @usableFromInline
    struct State {
        /// The column to try first; out of bounds for "no idea".
        @usableFromInline var guess: Int
        /// The column found last.
        @usableFromInline var last = 0
    }

    @usableFromInline
    let state: UnsafeMutablePointer<State>

    /// For each column, the one to try after it.
    @usableFromInline
    let successors: UnsafeMutablePointer<Int>

    init(_ columns: StatementColumns) {
        let count = columns.names.count
        state = .allocate(capacity: 1)
        state.initialize(to: State(guess: columns.hasDuplicates ? Int.max : 0))
        successors = .allocate(capacity: max(1, count))
        for index in 0..<count { successors[index] = index + 1 == count ? 0 : index + 1 }
    }

    func deallocate() {
        state.deallocate()
        successors.deallocate()
    }

    /// The position of the leftmost column with this name, whatever its case, or nil.
    @inlinable
    func index(of name: String, in columns: StatementColumns) -> Int? {
        let guess = state.pointee.guess
        if guess < columns.names.count && columns.names[guess] == name {
            move(to: guess)
            return guess
        }
        return search(name, columns)
    }

    @inlinable
    func move(to index: Int) {
        state.pointee.last = index
        state.pointee.guess = successors[index]
    }

    @usableFromInline
    func search(_ name: String, _ columns: StatementColumns) -> Int? {
        guard let index = columns.index(of: name) else { return nil }
        if columns.hasDuplicates { return index }
        successors[state.pointee.last] = index
        move(to: index)
        return index
    }
}

extension String {
    /// Whether two names are equal for SQLite, which ignores the case of ASCII letters, or for Unicode.
    package func equalsIgnoringCase(_ other: String) -> Bool {
        if self == other { return true }
        let isSame: Bool? = utf8.withContiguousStorageIfAvailable { lhs in
            other.utf8.withContiguousStorageIfAvailable { rhs in
                lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
            } ?? false
        }
        if isSame == true { return true }
        let isASCII = utf8.allSatisfy { $0 < 0x80 }
        return !isASCII && lowercased() == other.lowercased()
    }
}

extension UInt8 {
    @usableFromInline
    package var asciiLowercased: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }
}
