/// A JSON value of the JSON columns: an object with a number and a string.
struct JSONSample: Hashable, Sendable {
    var n: Int64
    var s: String

    static let all = [1, 2, 10].flatMap { n in ["a", "b"].map { JSONSample(n: n, s: $0) } }

    var text: Value { .text("{\"n\":\(n),\"s\":\"\(s)\"}") }

    /// The value in SQLite's binary format: <https://sqlite.org/jsonb.html>.
    var binary: Value {
        func element(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] { [UInt8(payload.count) << 4 | type] + payload }
        let string = UInt8(7)
        let members =
            element(string, Array("n".utf8)) + element(3, Array("\(n)".utf8)) + element(string, Array("s".utf8))
            + element(string, Array(s.utf8))
        return .blob(element(12, members))
    }

    init(n: Int64, s: String) { (self.n, self.s) = (n, s) }

    /// The sample that a column holds, in either format.
    init?(_ value: Value) {
        guard let sample = Self.all.first(where: { $0.text == value || $0.binary == value }) else { return nil }
        self = sample
    }
}
