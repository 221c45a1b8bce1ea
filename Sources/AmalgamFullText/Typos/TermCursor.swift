/// A position in a `TermList`, with the bytes of the current term.
///
/// The cursor is valid inside of the closure of `TermList.withCursor(_:)`. It allocates no memory.
struct TermCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let shared: UnsafeBufferPointer<UInt8>
    private let counts: UnsafeBufferPointer<UInt8>
    private let classes: UnsafeBufferPointer<UInt8>
    private let blockStarts: UnsafeBufferPointer<UInt32>
    private let blockShared: UnsafeBufferPointer<UInt8>
    private let term: UnsafeMutableBufferPointer<UInt8>

    /// The index of the current term; the number of terms at the end.
    private(set) var index = 0

    /// Where the stored bytes of the current term begin.
    private var place = 0

    /// The number of bytes of the current term.
    private var termCount = 0

    /// Calls a closure with a cursor at the first term of a list.
    fileprivate static func withCursor<Result>(
        in list: TermList, _ body: (inout TermCursor) throws -> Result
    ) rethrows -> Result {
        // Terms have at most 255 bytes.
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { term in
            try list.bytes.withUnsafeBufferPointer { bytes in
                try list.shared.withUnsafeBufferPointer { shared in
                    try list.counts.withUnsafeBufferPointer { counts in
                        try list.classes.withUnsafeBufferPointer { classes in
                            try list.blockStarts.withUnsafeBufferPointer { starts in
                                try list.blockShared.withUnsafeBufferPointer { blockShared in
                                    var cursor = TermCursor(
                                        bytes: bytes, shared: shared, counts: counts, classes: classes,
                                        blockStarts: starts, blockShared: blockShared, term: term)
                                    cursor.read()
                                    return try body(&cursor)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private init(
        bytes: UnsafeBufferPointer<UInt8>, shared: UnsafeBufferPointer<UInt8>, counts: UnsafeBufferPointer<UInt8>,
        classes: UnsafeBufferPointer<UInt8>, blockStarts: UnsafeBufferPointer<UInt32>,
        blockShared: UnsafeBufferPointer<UInt8>, term: UnsafeMutableBufferPointer<UInt8>
    ) {
        self.bytes = bytes
        self.shared = shared
        self.counts = counts
        self.classes = classes
        self.blockStarts = blockStarts
        self.blockShared = blockShared
        self.term = term
    }

    var isAtEnd: Bool { index >= shared.count }

    /// The bytes of the current term. They change when the cursor moves.
    var current: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: term[..<termCount]) }

    /// The number of first bytes that the current term shares with the previous one in the list.
    var sharedCount: Int { Int(shared[index]) }

    /// The frequency class of the current term.
    var frequencyClass: UInt8 { classes[index] }

    private var isAtBlockStart: Bool { index % TermList.blockLength == 0 }

    /// Reads the stored bytes of the current term. The bytes before them are those of the previous position.
    private mutating func read() {
        if isAtEnd { return }
        let start = isAtBlockStart ? 0 : sharedCount
        let count = Int(counts[index])
        for offset in 0..<count { term[start + offset] = bytes[place + offset] }
        termCount = start + count
    }

    /// Moves to the next term.
    mutating func advance() {
        place += Int(counts[index])
        index += 1
        read()
    }

    /// Moves to the next term that doesn't share the given number of bytes with the current one.
    mutating func skip(sharing count: Int) {
        stepInBlock(whileSharing: count)
        if !isAtEnd && isAtBlockStart {
            var block = index / TermList.blockLength
            while block < blockShared.count, Int(blockShared[block]) >= count { block += 1 }
            if block == blockShared.count {
                index = shared.count
                return
            }
            index = block * TermList.blockLength
            place = Int(blockStarts[block])
            if sharedCount >= count { stepInBlock(whileSharing: count) }
        }
        read()
    }

    /// Moves to the next term with fewer shared bytes, at most to the end of the block.
    private mutating func stepInBlock(whileSharing count: Int) {
        repeat {
            place += Int(counts[index])
            index += 1
        } while !isAtEnd && !isAtBlockStart && sharedCount >= count
    }

    /// Moves to the first term that isn't less than the given bytes.
    mutating func seek(_ bytes: UnsafeBufferPointer<UInt8>) {
        var (low, high) = (0, blockStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isLess(firstTerm(ofBlock: middle), bytes) { low = middle } else { high = middle }
        }
        index = low * TermList.blockLength
        place = low < blockStarts.count ? Int(blockStarts[low]) : 0
        read()
        while !isAtEnd, isLess(current, bytes) { advance() }
    }

    private func firstTerm(ofBlock block: Int) -> UnsafeBufferPointer<UInt8> {
        let start = Int(blockStarts[block])
        return UnsafeBufferPointer(rebasing: bytes[start..<start + Int(counts[block * TermList.blockLength])])
    }

    private func isLess(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        left.lexicographicallyPrecedes(right)
    }
}

extension TermList {
    /// Calls a closure with a cursor at the first term.
    func withCursor<Result>(_ body: (inout TermCursor) throws -> Result) rethrows -> Result {
        try TermCursor.withCursor(in: self, body)
    }

    /// The frequency class of a term, or of the most frequent term with a prefix. Nil if there is no such term.
    func frequencyClass(of text: String, isPrefix: Bool = false) -> UInt8? {
        var text = text
        return text.withUTF8 { bytes in
            withCursor { cursor in
                cursor.seek(bytes)
                guard !cursor.isAtEnd, cursor.current.starts(with: bytes) else { return nil }
                return isPrefix || cursor.current.count == bytes.count ? cursor.frequencyClass : nil
            }
        }
    }
}
