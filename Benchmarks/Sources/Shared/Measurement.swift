/// What one process has to say about one case.
struct Measurement {
    var name: String
    var checksum: Int
    var milliseconds: [Double]

    var json: String {
        #"{"case": "\#(name)", "checksum": \#(checksum), "ms": \#(milliseconds)}"#
    }
}

extension Case {
    /// One run to warm up, then `runs` timed ones.
    static func measure(folder: Folder, runs: Int) throws -> Measurement {
        var subject = try Self(folder: folder)
        var measurement = Measurement(name: name, checksum: try subject.timedRun().checksum, milliseconds: [])
        for _ in 0..<runs {
            let run = try subject.timedRun()
            guard run.checksum == measurement.checksum else { throw UnstableChecksum(name: name) }
            measurement.milliseconds.append(run.time / .milliseconds(1))
        }
        return measurement
    }

    private mutating func timedRun() throws -> (checksum: Int, time: Duration) {
        try reset()
        var result = 0
        let time = try ContinuousClock().measure { result = try run() }
        return (try checksum(of: result), countedTime() ?? time)
    }
}

struct UnstableChecksum: Error {
    var name: String
}
