/// The results of one case in one process.
struct Measurement {
    var name: String
    var checksum: Int

    /// What the runs returned.
    var result: Int

    /// The time of the preparation.
    var setUp: Double
    var milliseconds: [Double] = []

    /// The times of the parts of each run.
    var parts: [[Double]] = []

    var json: String {
        #"{"case": "\#(name)", "checksum": \#(checksum), "result": \#(result), "set_up_ms": \#(setUp), "#
            + #""ms": \#(milliseconds), "parts_ms": \#(parts)}"#
    }
}

extension Case {
    /// Runs once to warm up, and then `runs` times with a clock.
    static func measure(folder: Folder, runs: Int) throws -> Measurement {
        let clock = ContinuousClock()
        let start = clock.now
        var subject = try Self(folder: folder)
        let setUp = clock.now - start
        let first = try subject.timedRun()
        var measurement = Measurement(
            name: name, checksum: first.checksum, result: first.result, setUp: setUp / .milliseconds(1))
        for _ in 0..<runs {
            let run = try subject.timedRun()
            guard run.checksum == measurement.checksum else { throw UnstableChecksum(name: name) }
            measurement.milliseconds.append(run.time / .milliseconds(1))
            measurement.parts.append(subject.parts().map { $0 / .milliseconds(1) })
        }
        return measurement
    }

    private mutating func timedRun() throws -> (checksum: Int, result: Int, time: Duration) {
        try reset()
        var result = 0
        let time = try ContinuousClock().measure { result = try run() }
        return (try checksum(of: result), result, countedTime() ?? time)
    }
}

struct UnstableChecksum: Error {
    var name: String
}
