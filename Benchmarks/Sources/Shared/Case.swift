/// One measured piece of work: a type in `Cases/`, listed in `cases`.
///
/// Only ``run()`` is timed, or the part of it that the case has timed itself.
protocol Case {
    /// The name of the case in the C program and in `scripts/bench`.
    static var name: String { get }

    /// Opens the databases of the runs, once per process.
    init(folder: Folder) throws

    /// Prepares the next run.
    mutating func reset() throws

    /// Does the work. The result depends on every value that was read, so that no read can be optimized away.
    func run() throws -> Int

    /// Returns the time of the last run that counts; nil for all of it.
    func countedTime() -> Duration?

    /// Returns the times of the parts of the last run, in the order of the parts; none if the run has no parts.
    func parts() -> [Duration]

    /// Returns the number that must be the same in all programs. Cases that write read what they wrote.
    func checksum(of result: Int) throws -> Int
}

extension Case {
    mutating func reset() throws {}
    func countedTime() -> Duration? { nil }
    func parts() -> [Duration] { [] }
    func checksum(of result: Int) throws -> Int { result }
}
