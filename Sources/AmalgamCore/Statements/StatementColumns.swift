/// The names of a statement's columns, shared by its rows and their copies.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT id, name FROM player")
/// statement.columnNames   // ["id", "name"]
/// ```
public final class StatementColumns: Sendable {
    /// The names, from left to right, including duplicates.
    @usableFromInline
    package let names: [String]

    /// Whether two names are equal or differ only in case. If so, a linear search finds the leftmost column.
    @usableFromInline
    let hasDuplicates: Bool

    /// The number of recompilations of the statement when the names were read.
    let recompilations: CInt

    package init(names: [String], recompilations: CInt = 0) {
        self.names = names
        self.recompilations = recompilations
        hasDuplicates = Set(names.map { $0.lowercased() }).count < names.count
    }

    /// Returns the position of the leftmost column with this name, compared without regard to case, or nil.
    ///
    /// Names are first compared as SQLite compares them. If there is none, the case of letters such as `É` is ignored, too.
    @usableFromInline
    package func index(of name: String) -> Int? {
        if let index = names.firstIndex(where: { $0.equalsIgnoringCase(name) }) { return index }
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        let name = name.lowercased()
        return names.firstIndex { $0.lowercased() == name }
    }
}

/// Predicts which column of a row the application reads next.
///
/// Applications nearly always read the columns of each row in the same order. Therefore, the predictor stores for each
/// column which column was read after it, and tries this column first. A correct prediction costs one comparison of
/// strings, a wrong one costs a linear search.
///
/// The state is allocated separately from the row, which is a class: Swift would check accesses to stored properties of
/// a class for exclusivity at run time, which takes longer than the prediction.
@usableFromInline
struct ColumnPredictor {
    @usableFromInline
    struct State {
        /// The column to try first; out of bounds without a prediction.
        @usableFromInline var guess: Int
        /// The column that was found last.
        @usableFromInline var last = 0
    }

    @usableFromInline
    let state: UnsafeMutablePointer<State>

    /// For each column, the column to try after it.
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

    /// Returns the position of the leftmost column with this name, compared without regard to case, or nil.
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
    /// Returns whether two names are equal as SQLite compares them: without regard to the case of ASCII letters.
    package func equalsIgnoringCase(_ other: String) -> Bool {
        let isSame: Bool? =
            utf8.withContiguousStorageIfAvailable { lhs in
                other.utf8.withContiguousStorageIfAvailable { rhs in
                    lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
                }
            } ?? nil
        return isSame ?? utf8.lazy.map(\.asciiLowercased).elementsEqual(other.utf8.lazy.map(\.asciiLowercased))
    }
}

extension UInt8 {
    @usableFromInline
    package var asciiLowercased: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }
}
