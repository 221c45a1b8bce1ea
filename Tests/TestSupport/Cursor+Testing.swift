package import AmalgamCore

/// An error that a test throws.
package struct Failure: Error, Equatable {
    package var number: Int

    package init(number: Int = 0) { self.number = number }
}

/// Returns the numbers 1, 2, 3, …; after the last one, the cursor throws the failure, if any, each time.
package func numbers(_ range: ClosedRange<Int>, then failure: Failure? = nil) -> AnyCursor<Int> {
    var next = range.lowerBound
    return AnyCursor {
        defer { next += 1 }
        if next <= range.upperBound { return next }
        if let failure { throw failure }
        return nil
    }
}

/// Returns an empty cursor.
package func noNumbers() -> AnyCursor<Int> { AnyCursor([]) }
