import Amalgam

/// What the operations page shows.
struct OperationsView {
    struct Fact {
        var name: String
        var value: String

        init(_ name: String, _ value: some CustomStringConvertible) {
            self.name = name
            self.value = value.description
        }
    }

    var groups: [Group]
    var readers: [String]

    struct Group {
        var name: String
        var facts: [Fact]
    }

    init(_ metrics: DatabaseMetrics, _ wal: WALReport, _ last: WALReport?, _ live: LiveQueries) {
        groups = [
            Group(name: "Reads", facts: Self.facts(metrics.readers)),
            Group(name: "Writes", facts: Self.facts(metrics.writer)),
            Group(
                name: "WAL file",
                facts: [
                    Fact("bytes", wal.fileSize), Fact("frames", wal.frameCount),
                    Fact("frames in the database file", wal.checkpointedFrameCount),
                    Fact("last checkpoint", last?.description ?? "none since the start"),
                ]),
            Group(
                name: "Database",
                facts: [
                    Fact("connections", metrics.connectionCount),
                    Fact(
                        "pages found in a cache",
                        metrics.cache.hitRate.map { "\(($0 * 1000).rounded() / 10) %" } ?? "none"),
                ]),
            Group(
                name: "Open pages",
                facts: [Fact("pages", live.subscriberCount), Fact("different searches", live.queryCount)]),
        ]
        readers = wal.readers.map(\.description)
    }

    private static func facts(_ accesses: DatabaseMetrics.Accesses) -> [Fact] {
        [
            Fact("running", accesses.running), Fact("waiting", accesses.waiting), Fact("done", accesses.done),
            Fact("longest wait", "\((accesses.longestWait / .milliseconds(1) * 10).rounded() / 10) ms"),
        ]
    }
}
