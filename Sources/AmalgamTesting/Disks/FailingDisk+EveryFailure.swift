extension FailingDisk {
    /// Runs a test again and again: its first operation on a file fails, then its second one, and so on, until no operation
    /// fails any more.
    ///
    /// ```
    /// try FailingDisk.everyFailure(.io) { attempt in
    ///     let dbQueue = try DatabaseQueue(path: attempt.path("db.sqlite"), configuration: attempt.configuration())
    ///     try dbQueue.write { db in try db.execute(sql: "CREATE TABLE account (balance INTEGER)") }
    ///     do {
    ///         try attempt.failing {
    ///             try dbQueue.write { db in try db.execute(sql: "INSERT INTO account VALUES (1), (2)") }
    ///         }
    ///     } catch {
    ///         let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM account") }
    ///         #expect(count == 0)
    ///     }
    /// }
    /// ```
    ///
    /// The first attempt counts the operations, without a failure. Each attempt has a new disk, and an empty folder for its
    /// files.
    ///
    /// - Parameters:
    ///   - failure: The operations that fail, and how.
    ///   - stride: The distance between the operations that fail: 1 for all of them.
    ///   - body: The test, which runs the code under test in ``FailureAttempt/failing(_:)``.
    /// - Returns: The number of attempts in which an operation has failed.
    /// - Throws: ``ExpectationFailed`` if the first attempt performs no operation that could fail, and for an error of the
    ///   closure, with the number of the operation.
    @discardableResult
    public static func everyFailure(
        _ failure: DiskFailure, stride: Int = 1, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column, _ body: (FailureAttempt) throws -> Void
    ) throws -> Int {
        var search = FailureSearch(failure, stride, CodeLocation(fileID, filePath, line, column))
        while let attempt = try search.next() {
            do { try body(attempt) } catch { throw search.failed(attempt, error) }
        }
        return search.failureCount
    }

    /// Runs a test again and again: its first operation on a file fails, then its second one, and so on, until no operation
    /// fails any more.
    ///
    /// ```swift
    /// try await FailingDisk.everyFailure(.io) { attempt in
    ///     let dbPool = try DatabasePool(path: attempt.path("db.sqlite"), configuration: attempt.configuration())
    ///     _ = try? await attempt.failing {
    ///         try await dbPool.write { db in try db.execute(sql: "CREATE TABLE note (text TEXT)") }
    ///     }
    /// }
    /// ```
    ///
    /// The first attempt counts the operations, without a failure. Each attempt has a new disk, and an empty folder for its
    /// files.
    ///
    /// - Parameters:
    ///   - failure: The operations that fail, and how.
    ///   - stride: The distance between the operations that fail: 1 for all of them.
    ///   - body: The test, which runs the code under test in `attempt.failing`.
    /// - Returns: The number of attempts in which an operation has failed.
    /// - Throws: ``ExpectationFailed`` if the first attempt performs no operation that could fail, and for an error of the
    ///   closure, with the number of the operation.
    @discardableResult
    public static func everyFailure(
        _ failure: DiskFailure, stride: Int = 1, isolation: isolated (any Actor)? = #isolation,
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
        _ body: (FailureAttempt) async throws -> Void
    ) async throws -> Int {
        var search = FailureSearch(failure, stride, CodeLocation(fileID, filePath, line, column))
        while let attempt = try search.next() {
            do { try await body(attempt) } catch { throw search.failed(attempt, error) }
        }
        return search.failureCount
    }
}

/// The attempts of a test, one after the other.
private struct FailureSearch {
    private let failure: DiskFailure
    private let stride: Int
    private let location: CodeLocation
    private var last: FailureAttempt?

    private(set) var failureCount = 0

    init(_ failure: DiskFailure, _ stride: Int, _ location: CodeLocation) {
        self.failure = failure
        self.stride = max(1, stride)
        self.location = location
    }

    /// Returns the next attempt, or nil if the last one has ended before the operation that was to fail.
    mutating func next() throws -> FailureAttempt? {
        guard let last else { return try make(0) }
        if last.number == 0 {
            if last.operationCount > 0 { return try make(1) }
            throw ExpectationFailed(
                "No operation could fail: run the code under test in attempt.failing.", at: location)
        }
        // Failures for want of space don't count: they don't end.
        if last.operationCount < last.number { return nil }
        failureCount += 1
        return try make(last.number + stride)
    }

    private mutating func make(_ number: Int) throws -> FailureAttempt {
        let attempt = try FailureAttempt(failure, number: number)
        last = attempt
        return attempt
    }

    /// Returns the error of a test that has failed in an attempt.
    func failed(_ attempt: FailureAttempt, _ error: any Error) -> ExpectationFailed {
        let point = attempt.number == 0 ? "without a failure" : "when operation \(attempt.number) fails"
        return ExpectationFailed("The test throws an error \(point): \(error)", at: location)
    }
}
