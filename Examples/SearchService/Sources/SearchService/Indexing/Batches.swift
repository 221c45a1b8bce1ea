/// Divides an array into batches of up to 200 elements and about 2 MB, so that a transaction is short.
struct Batches<Element>: Sequence, IteratorProtocol {
    private var rest: ArraySlice<Element>
    private let size: (Element) -> Int

    init(_ elements: [Element], size: @escaping (Element) -> Int) {
        rest = elements[...]
        self.size = size
    }

    mutating func next() -> ArraySlice<Element>? {
        if rest.isEmpty { return nil }
        var bytes = 0
        let count = rest.prefix(200).prefix { element in
            defer { bytes += size(element) }
            return bytes < 2 << 20
        }.count
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
