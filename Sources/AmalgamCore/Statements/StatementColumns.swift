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

/// Guesses which column is asked for next.
///
/// Names are nearly always asked for in the same order, row after row. So a row remembers, for each column, which
/// one was asked for after it. That one is tried first, and an equal small string is one comparison of two words.
/// A wrong guess costs a scan, once.
@usableFromInline
struct ColumnPredictor {
    /// For each column, the one to try after it. Empty until the natural order has failed once, and always in copies
    /// of rows, which are many and are read once or twice.
    private var successors: [Int] = []

    private let learns: Bool

    /// The column found last.
    private var last = 0

    /// The column to try first; out of bounds for "no idea".
    @usableFromInline
    private(set) var guess: Int

    init(_ columns: StatementColumns, learns: Bool) {
        self.learns = learns
        guess = columns.hasDuplicates ? Int.max : 0
    }

    /// The guess was right.
    @inlinable
    mutating func confirm(_ columns: StatementColumns) {
        move(to: guess, columns)
    }

    @usableFromInline
    mutating func move(to index: Int, _ columns: StatementColumns) {
        last = index
        if successors.isEmpty {
            guess = index + 1 == columns.names.count ? 0 : index + 1
        } else {
            guess = successors[index]
        }
    }

    /// The guess was wrong.
    mutating func search(_ name: String, _ columns: StatementColumns) -> Int? {
        guard let index = columns.index(of: name) else { return nil }
        if columns.hasDuplicates { return index }
        if learns {
            let count = columns.names.count
            if successors.isEmpty { successors = (0..<count).map { ($0 + 1) % count } }
            successors[last] = index
        }
        move(to: index, columns)
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
