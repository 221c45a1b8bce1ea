import Foundation

/// Where a dump goes: the standard output, or any stream of text.
public struct DumpStream {
    private var base: any TextOutputStream
    private var needsMargin = false

    /// - Parameter stream: where the text goes; the standard output when nil.
    init(_ stream: (any TextOutputStream)?) {
        base = stream ?? StandardOutput()
    }

    /// Puts an empty line before what is written next, if anything.
    public mutating func margin() { needsMargin = true }
}

extension DumpStream: TextOutputStream {
    public mutating func write(_ string: String) {
        if string.isEmpty { return }
        if needsMargin {
            needsMargin = false
            base.write("\n")
        }
        base.write(string)
    }
}

private struct StandardOutput: TextOutputStream {
    func write(_ string: String) { print(string, terminator: "") }
}
