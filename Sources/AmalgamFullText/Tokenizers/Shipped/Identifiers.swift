import AmalgamCore

/// The capital letters that begin a part of an identifier: see ``FTS5TokenizerModule/identifiers(capitals:named:)``.
///
/// ```swift
/// let identifiers = FTS5TokenizerModule.identifiers(capitals: .unicode)
/// ```
public enum FTS5IdentifierCapitals: Sendable {
    /// `A` to `Z`. `userName` has two parts, `größeÄnderung` has one.
    case ascii

    /// Capital letters of all scripts. `größeÄnderung` has two parts.
    case unicode
}

extension FTS5TokenizerModule {
    /// Returns a tokenizer that indexes the identifiers in source code by their parts, and as a whole.
    ///
    /// ```swift
    /// let identifiers = FTS5TokenizerModule.identifiers()
    /// // "let userID = parse_HTTPHeader()"   let user|userid id parse|parsehttpheader http header
    /// ```
    ///
    /// In the example, `|` separates tokens with the same position. Each of the patterns `HTTPHeader`, `http_header`
    /// and `"http header"` matches text with any of the three. The pattern `parsehttpheader` matches the whole
    /// identifier. A part ends:
    /// - before a `_`;
    /// - before a capital letter that follows a small letter or a digit, as between `user` and `ID`;
    /// - before the last of several capital letters if a small letter follows, as between `HTTP` and `Header`.
    ///
    /// The wrapped tokenizer receives the parts separated by spaces.
    ///
    /// For a pattern of a whole identifier, such as `userid`, `highlight()` marks only the first part, `user`: FTS5
    /// reports only the position of the match, which is that of the first part. ``FTS5/markedText(_:)`` and
    /// ``FTS5/markedSnippet(_:tokenCount:pieceCount:)`` mark the whole identifier.
    ///
    /// - Parameters:
    ///   - capitals: The capital letters that begin a part. After a change of this setting, call
    ///     ``FTS5Index/rebuild(_:)``. Without this call, searches don't find identifiers that the new setting splits
    ///     differently, and a deleted row may leave terms in the index: FTS5 tokenizes the deleted text with the new
    ///     setting to find the terms to remove.
    ///   - name: The name of the tokenizer. Tokenizers with different settings need different names.
    public static func identifiers(
        capitals: FTS5IdentifierCapitals = .ascii, named name: String = "identifiers"
    ) -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in
            IdentifierTokenizer(WrappedTokenizer(wrapped), capitals)
        }
    }
}

/// Passes the text to the wrapped tokenizer in one call, with spaces between the parts of identifiers. A call for each
/// part would be much slower.
private final class IdentifierTokenizer: ByteTokenizer {
    private let wrapped: WrappedTokenizer
    private let capitals: FTS5IdentifierCapitals

    /// The buffers of the previous text, for reuse. Nil during tokenization.
    private var separation: NameSeparation?

    init(_ wrapped: WrappedTokenizer, _ capitals: FTS5IdentifierCapitals) {
        self.wrapped = wrapped
        self.capitals = capitals
    }

    func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        let separation = separation ?? NameSeparation(capitals)
        self.separation = nil
        defer { self.separation = separation.isLarge ? nil : separation }
        separation.separate(text.bytes)
        if !separation.hasNames { return try wrapped.passTokens(of: text, to: body) }
        let addsWholeNames = !text.tokenization.contains(.query)
        try wrapped.passTokens(of: text.with(bytes: separation.text)) { token in
            try separation.pass(token, addsWholeNames, to: body)
        }
        try separation.passName(to: body)
    }
}

/// The text with spaces between the parts of identifiers, and the tokens of the current identifier.
///
/// All buffers are reused for the next text: allocating them again took a quarter of the time.
private final class NameSeparation {
    private let capitals: FTS5IdentifierCapitals

    /// The text with changed identifiers: each `_` is replaced by a space, and a space is inserted between two parts
    /// that no `_` separates, as in `user ID`. Identifiers with one part don't change.
    private var separated = Scratch<UInt8>()

    /// The offsets of inserted spaces, in ascending order.
    private var insertions = Scratch<Int>()

    /// The ranges of identifiers with several parts, in ascending order.
    private var names = Scratch<NamePlace>()

    // The progress of the tokens. Tokenizers usually report them from left to right.
    private var insertion = 0
    private var name = 0

    /// The tokens of the identifier `names[name]` so far, and their concatenated bytes.
    private var tokens = Scratch<NameToken>()
    private var bytes = Scratch<UInt8>()

    init(_ capitals: FTS5IdentifierCapitals) {
        self.capitals = capitals
    }

    deinit {
        separated.deallocate()
        insertions.deallocate()
        names.deallocate()
        tokens.deallocate()
        bytes.deallocate()
    }

    var text: UnsafeRawBufferPointer { separated.bytes }

    var hasNames: Bool { names.count > 0 }

    /// Whether the buffers are too large to keep.
    var isLarge: Bool { separated.capacity > 1 << 17 }

    // MARK: The text

    func separate(_ source: UnsafeRawBufferPointer) {
        separated.count = 0
        insertions.count = 0
        names.count = 0
        tokens.count = 0
        bytes.count = 0
        (insertion, name) = (0, 0)
        var copied = 0
        var position = 0
        while position < source.count {
            let run = source.run(from: position, capitals)
            if run.mayHaveParts { appendNames(source, position..<run.end, &copied) }
            position = run.end + 1
        }
        if hasNames { separated.append(source, copied..<source.count) }
    }

    /// Appends the identifiers in a sequence of letters, digits, `_` and non-ASCII characters. Non-ASCII characters
    /// other than letters and combining marks separate identifiers.
    private func appendNames(_ source: UnsafeRawBufferPointer, _ run: Range<Int>, _ copied: inout Int) {
        var position = run.lowerBound
        while position < run.upperBound {
            let end = source.endOfName(from: position, before: run.upperBound)
            if end > position {
                appendName(source, position..<end, &copied)
                position = end
            } else {
                position += source.nameCharacter(at: position).count
            }
        }
    }

    /// If an identifier has several parts, copies the text before it, and the identifier.
    private func appendName(_ source: UnsafeRawBufferPointer, _ name: Range<Int>, _ copied: inout Int) {
        var parts = IdentifierParts(source, name, capitals)
        guard let first = parts.next(), var part = parts.next() else { return }
        separated.append(source, copied..<name.lowerBound)
        copied = name.upperBound
        let start = separated.count
        separated.append(blank, count: first.lowerBound - name.lowerBound)
        separated.append(source, first)
        var end = first.upperBound
        while true {
            if part.lowerBound == end {
                insertions.append(separated.count)
                separated.append(blank)
            } else {
                separated.append(blank, count: part.lowerBound - end)
            }
            separated.append(source, part)
            end = part.upperBound
            guard let next = parts.next() else { break }
            part = next
        }
        separated.append(blank, count: name.upperBound - end)
        names.append(NamePlace(start: start, end: separated.count))
    }

    // MARK: The tokens

    /// Receives a token of the text.
    func pass(_ token: RawToken, _ addsWholeNames: Bool, to body: (RawToken) throws -> Void) throws {
        while name < names.count, names[name].end <= token.start {
            try passName(to: body)
            name += 1
        }
        let (start, end) = (sourcePlace(token.start), sourcePlace(token.end))
        if addsWholeNames, name < names.count, names[name].start <= token.start {
            tokens.append(NameToken(count: token.bytes.count, flags: token.flags, start: start, end: end))
            bytes.append(token.bytes, 0..<token.bytes.count)
        } else {
            try passName(to: body)
            try body(RawToken(bytes: token.bytes, flags: token.flags, start: start, end: end))
        }
    }

    /// The offset in the source for an offset in the text.
    private func sourcePlace(_ place: Int) -> Int {
        while insertion < insertions.count, insertions[insertion] < place { insertion += 1 }
        while insertion > 0, insertions[insertion - 1] >= place { insertion -= 1 }
        return place - insertion
    }

    /// Passes the tokens of a completed identifier, with the whole identifier after the first one.
    func passName(to body: (RawToken) throws -> Void) throws {
        let count = tokens.count
        if count == 0 { return }
        tokens.count = 0
        var start = 0
        for index in 0..<count {
            let token = tokens[index]
            try body(token.raw(bytes.bytes, from: start))
            start += token.count
            if index == 0 { try passWholeName(tokenCount: count, to: body) }
        }
        bytes.count = 0
    }

    private func passWholeName(tokenCount: Int, to body: (RawToken) throws -> Void) throws {
        var (partCount, last) = (0, 0)
        for index in 0..<tokenCount where !tokens[index].isColocated { (partCount, last) = (partCount + 1, index) }
        guard partCount > 1 else { return }
        func pass(_ whole: UnsafeRawBufferPointer) throws {
            try body(RawToken(bytes: whole, flags: .colocated, start: tokens[0].start, end: tokens[last].end))
        }
        // Without synonyms, the concatenated tokens are the identifier.
        if partCount == tokenCount { return try pass(bytes.bytes) }
        try bytesOfParts(tokenCount).withUnsafeBytes(pass)
    }

    private func bytesOfParts(_ tokenCount: Int) -> [UInt8] {
        var start = 0
        var parts: [UInt8] = []
        for index in 0..<tokenCount {
            let token = tokens[index]
            if !token.isColocated { parts.append(contentsOf: bytes.bytes[start..<start + token.count]) }
            start += token.count
        }
        return parts
    }
}

/// The range of an identifier.
private struct NamePlace: BitwiseCopyable {
    let start: Int
    let end: Int
}

/// A token of an identifier: its number of bytes, and its range in the source.
private struct NameToken: BitwiseCopyable {
    let count: Int
    private let flags: CInt
    let start: Int
    let end: Int

    init(count: Int, flags: FTS5TokenFlags, start: Int, end: Int) {
        self.count = count
        self.flags = flags.rawValue
        self.start = start
        self.end = end
    }

    var isColocated: Bool { FTS5TokenFlags(rawValue: flags).contains(.colocated) }

    func raw(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> RawToken {
        RawToken(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]),
            flags: FTS5TokenFlags(rawValue: flags), start: start, end: end)
    }
}

/// A growing buffer. Its owner deallocates it.
private struct Scratch<Element: BitwiseCopyable> {
    private var start = UnsafeMutablePointer<Element>.allocate(capacity: 64)
    private(set) var capacity = 64
    var count = 0

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: count * MemoryLayout<Element>.stride)
    }

    subscript(index: Int) -> Element { start[index] }

    func deallocate() { start.deallocate() }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow(by: 1) }
        start[count] = element
        count += 1
    }

    @inline(__always)
    mutating func append(_ element: Element, count repetitions: Int) {
        for _ in 0..<repetitions { append(element) }
    }

    @inline(never)
    fileprivate mutating func grow(by more: Int) {
        let newCapacity = max(2 * capacity, count + more)
        let newStart = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
        newStart.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (newStart, newCapacity)
    }
}

extension Scratch where Element == UInt8 {
    @inline(__always)
    fileprivate mutating func append(_ source: UnsafeRawBufferPointer, _ range: Range<Int>) {
        if count + range.count > capacity { grow(by: range.count) }
        UnsafeMutableRawBufferPointer(start: start + count, count: range.count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
        count += range.count
    }
}

/// The parts of an identifier.
private struct IdentifierParts: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    private let capitals: FTS5IdentifierCapitals
    private var position: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ capitals: FTS5IdentifierCapitals) {
        self.bytes = bytes
        self.capitals = capitals
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Range<Int>? {
        while position < end, bytes[position] == underscore { position += 1 }
        guard position < end else { return nil }
        let start = position
        repeat { position += 1 } while position < end && !isBorder
        return start..<position
    }

    /// Whether a part ends before the byte at `position`.
    private var isBorder: Bool {
        let byte = bytes[position]
        if byte == underscore { return true }
        guard isCapital(at: position) else { return false }
        let previous = bytes.startOfScalar(before: position)
        if !isCapital(at: previous) { return true }
        // The last capital letter of an acronym, as in "HTTPHeader", begins a word.
        let next = position + (byte < 0x80 ? 1 : bytes.scalar(at: position).count)
        return next < end && isSmall(at: next)
    }

    private func isCapital(at position: Int) -> Bool {
        let byte = bytes[position]
        if byte < 0x80 || capitals == .ascii { return byte.isCapital }
        return bytes.properties(at: position)?.isUppercase ?? false
    }

    private func isSmall(at position: Int) -> Bool {
        let byte = bytes[position]
        if byte < 0x80 || capitals == .ascii { return byte.isSmall }
        return bytes.properties(at: position)?.isLowercase ?? false
    }
}

private let underscore = UInt8(ascii: "_")
private let blank = UInt8(ascii: " ")

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

    fileprivate var isSmall: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension UnsafeRawBufferPointer {
    /// Finds the end of a sequence of letters, digits, `_` and non-ASCII characters.
    ///
    /// - Returns: The end, and whether the sequence may have several parts. It may if a `_` or an ASCII capital letter
    ///   follows the first character. With `.unicode` capitals, it also may if it contains a non-ASCII character: this
    ///   method doesn't check whether the character is a capital letter.
    fileprivate func run(
        from start: Int, _ capitals: FTS5IdentifierCapitals
    ) -> (end: Int, mayHaveParts: Bool) {
        var position = start
        var mayHaveParts = false
        while position < count {
            let byte = self[position]
            // Common cases first: a small letter, a non-ASCII byte, or a digit.
            if byte &- 0x61 >= 26, byte < 0x80, byte &- 0x30 >= 10 {
                guard byte.isCapital || byte == underscore else { break }
                mayHaveParts = mayHaveParts || position > start
            } else if byte >= 0x80, capitals == .unicode {
                mayHaveParts = true
            }
            position += 1
        }
        return (position, mayHaveParts)
    }

    /// The start of the character before an offset.
    fileprivate func startOfScalar(before place: Int) -> Int {
        var start = place - 1
        while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    /// The Unicode properties of the non-ASCII character at an offset; nil for ASCII, and for bytes that don't begin a
    /// character.
    fileprivate func properties(at place: Int) -> Unicode.Scalar.Properties? {
        let (value, count) = scalar(at: place)
        return count > 1 ? Unicode.Scalar(value)?.properties : nil
    }

    /// Whether the character at an offset may be part of an identifier, and its number of bytes.
    fileprivate func nameCharacter(at position: Int) -> (isPart: Bool, count: Int) {
        let byte = self[position]
        if byte < 0x80 { return (byte.isSmall || byte.isCapital || byte.isDigit || byte == underscore, 1) }
        let (value, count) = scalar(at: position)
        guard count > 1, let properties = Unicode.Scalar(value)?.properties else { return (false, count) }
        return (properties.isAlphabetic || properties.canonicalCombiningClass != .notReordered, count)
    }

    fileprivate func endOfName(from start: Int, before end: Int) -> Int {
        var position = start
        while position < end {
            let (isPart, count) = nameCharacter(at: position)
            if !isPart { break }
            position += count
        }
        return position
    }
}
