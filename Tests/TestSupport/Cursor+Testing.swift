package import AmalgamCore

/// An error that a test makes.
package struct Failure: Error, Equatable {
    package var number: Int

    package init(number: Int = 0) { self.number = number }
}

/// 1, 2, 3, …; the element after the last one is an error, when there is one. Errors stay.
package func numbers(_ range: ClosedRange<Int>, then failure: Failure? = nil) -> AnyCursor<Int> {
    var next = range.lowerBound
    return AnyCursor {
        defer { next += 1 }
        if next <= range.upperBound { return next }
        if let failure { throw failure }
        return nil
    }
}

/// No element.
package func noNumbers() -> AnyCursor<Int> { AnyCursor([]) }
