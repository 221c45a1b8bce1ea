/// A sorted list of the terms of an index, in memory. It never changes after its creation.
///
/// A term is stored without the bytes that it shares with the previous term, except at the start of a block of 64
/// terms. In addition, there are three bytes per term, and five bytes per block: about 9 bytes for a term of English.
final class TermList: Sendable {
    /// The number of terms in a block. For each block, the list stores where its bytes begin, and the whole first term.
    static let blockLength = 64

    /// The stored bytes of each term, one term after the other.
    let bytes: [UInt8]

    /// The number of first bytes that each term shares with the previous one.
    let shared: [UInt8]

    /// The number of stored bytes of each term.
    let counts: [UInt8]

    /// The frequency class of each term: four times the binary logarithm of the size of its documents in the index.
    let classes: [UInt8]

    /// Where the bytes of each block begin.
    let blockStarts: [UInt32]

    /// The smallest number of shared bytes in each block.
    let blockShared: [UInt8]

    var count: Int { shared.count }

    /// The number of bytes in memory.
    var byteCount: Int { bytes.count + 3 * count + 5 * blockStarts.count }

    fileprivate init(_ builder: Builder) {
        bytes = builder.bytes
        shared = builder.shared
        counts = builder.counts
        classes = builder.classes
        blockStarts = builder.blockStarts
        blockShared = builder.blockShared
    }

    /// Creates a list from terms in the order of their bytes.
    convenience init(sorted terms: some Sequence<(String, Int)>) {
        var builder = Builder()
        for (term, size) in terms {
            var term = term
            term.withUTF8 { builder.append(UnsafeRawBufferPointer($0), size) }
        }
        self.init(builder)
    }

    /// Creates a list from the terms of several segments.
    convenience init(merging segments: [SegmentTerms]) {
        var rest = segments.filter { !$0.sizes.isEmpty }.sorted { $0.sizes.count > $1.sizes.count }
        // The smallest segments are merged first.
        while rest.count > 2, let last = rest.popLast(), let next = rest.popLast() {
            let merged = SegmentTerms(merging: last, next)
            let place = rest.firstIndex { $0.sizes.count < merged.sizes.count } ?? rest.endIndex
            rest.insert(merged, at: place)
        }
        var builder = Builder()
        SegmentTerms.merge(rest.first ?? SegmentTerms(), rest.count > 1 ? rest[1] : SegmentTerms()) { term, size in
            builder.append(term, size)
        }
        self.init(builder)
    }
}

extension TermList {
    /// Appends terms in order.
    fileprivate struct Builder {
        var bytes: [UInt8] = []
        var shared: [UInt8] = []
        var counts: [UInt8] = []
        var classes: [UInt8] = []
        var blockStarts: [UInt32] = []
        var blockShared: [UInt8] = []
        private var previous: [UInt8] = []

        mutating func append(_ term: UnsafeRawBufferPointer, _ size: Int) {
            // Positions are 32-bit numbers.
            guard term.count <= 255, bytes.count + 255 <= UInt32.max else { return }
            var same = 0
            while same < term.count, same < previous.count, previous[same] == term[same] { same += 1 }
            let isFirstOfBlock = shared.count % TermList.blockLength == 0
            if isFirstOfBlock {
                blockStarts.append(UInt32(bytes.count))
                blockShared.append(UInt8(same))
            } else if same < blockShared[blockShared.count - 1] {
                blockShared[blockShared.count - 1] = UInt8(same)
            }
            let stored = term[(isFirstOfBlock ? 0 : same)...]
            bytes.append(contentsOf: stored)
            shared.append(UInt8(same))
            counts.append(UInt8(stored.count))
            classes.append(Self.frequencyClass(ofSize: size))
            previous.removeLast(previous.count - same)
            previous.append(contentsOf: term[same...])
        }

        private static func frequencyClass(ofSize size: Int) -> UInt8 {
            let size = UInt64(max(1, size))
            let exponent = 63 - size.leadingZeroBitCount
            let quarter = exponent >= 2 ? (size >> UInt64(exponent - 2)) & 3 : 0
            return UInt8(exponent * 4 + Int(quarter))
        }
    }
}

/// The terms of one segment of an index, in the order of their bytes.
struct SegmentTerms {
    private var bytes: [UInt8] = []

    /// Where the bytes of each term end.
    private var ends: [Int] = []

    /// The size of the documents of each term, in bytes of the index.
    private(set) var sizes: [Int] = []

    init() {}

    mutating func append(_ term: UnsafeRawBufferPointer, size: Int) {
        bytes.append(contentsOf: term)
        ends.append(bytes.count)
        sizes.append(size)
    }

    init(merging first: SegmentTerms, _ second: SegmentTerms) {
        self.init()
        bytes.reserveCapacity(first.bytes.count + second.bytes.count)
        ends.reserveCapacity(first.ends.count + second.ends.count)
        sizes.reserveCapacity(first.ends.count + second.ends.count)
        Self.merge(first, second) { append($0, size: $1) }
    }

    /// Calls a closure with the terms of both segments, in order. A term that is in both is passed once.
    static func merge(
        _ first: SegmentTerms, _ second: SegmentTerms, _ body: (UnsafeRawBufferPointer, Int) -> Void
    ) {
        first.bytes.withUnsafeBytes { firstBytes in
            second.bytes.withUnsafeBytes { secondBytes in
                var (i, j) = (0, 0)
                while i < first.ends.count || j < second.ends.count {
                    let left = i < first.ends.count ? first.term(i, firstBytes) : nil
                    let right = j < second.ends.count ? second.term(j, secondBytes) : nil
                    let order = compare(left, right)
                    if let left, order <= 0 {
                        body(left, first.sizes[i] + (order == 0 ? second.sizes[j] : 0))
                        i += 1
                        if order == 0 { j += 1 }
                    } else if let right {
                        body(right, second.sizes[j])
                        j += 1
                    }
                }
            }
        }
    }

    /// The terms of a list, whose sizes are those of the smallest entries.
    init(_ list: TermList) {
        self.init()
        list.withCursor { cursor in
            while !cursor.isAtEnd {
                append(UnsafeRawBufferPointer(cursor.current), size: cursor.current.count)
                cursor.advance()
            }
        }
    }

    private func term(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
    }

    /// Compares two terms. A term that doesn't exist comes last.
    private static func compare(_ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?) -> Int {
        guard let left else { return 1 }
        guard let right else { return -1 }
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }
}
