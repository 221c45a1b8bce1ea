/// One measured piece of work: a type in `Cases/`, listed in `cases`.
///
/// Only ``run()`` is timed, or the part of it that the case itself has timed.
protocol Case {
    /// The name the C program and `scripts/bench` know it by.
    static var name: String { get }

    /// Opens what the runs need, once per process.
    init(folder: Folder) throws

    /// Makes ready for the next run.
    mutating func reset() throws

    /// The work. The result depends on every value that was read, so that no reading can be optimised away.
    func run() throws -> Int

    /// The time of the last run that counts; nil for all of it.
    func countedTime() -> Duration?

    /// The number that must be the same in all programs. Cases that write read back what they wrote.
    func checksum(of result: Int) throws -> Int
}

extension Case {
    mutating func reset() throws {}
    func countedTime() -> Duration? { nil }
    func checksum(of result: Int) throws -> Int { result }
}
