import Foundation

/// The output of the demo: a terminal with colors, or a plain file.
public struct Terminal {
    let width: Int
    let hasColors: Bool
    /// Whether the output is an interactive terminal, on which a line may be rewritten.
    let isLive: Bool
    private let output: (String) -> Void
    private let errors: (String) -> Void

    public init(
        width: Int, hasColors: Bool, isLive: Bool, output: @escaping (String) -> Void,
        errors: @escaping (String) -> Void
    ) {
        self.width = width
        self.hasColors = hasColors
        self.isLive = isLive
        self.output = output
        self.errors = errors
    }

    func write(_ text: String) { output(text) }
    func line(_ text: String = "") { output(text + "\n") }

    /// Prints the heading of a section.
    func section(_ title: String) {
        let title = title.shortened(to: width - 8)
        line("\n" + dim("── ") + bold(title) + " " + dim(String(repeating: "─", count: width - title.count - 4)))
    }

    /// Prints `label  value`. A long value continues on the next lines.
    func fact(_ label: String, _ value: String) {
        let column = 14
        for (index, piece) in value.wrapped(to: width - column).enumerated() {
            let head = index == 0 ? "  " + label : ""
            line(dim(head.padded(to: column)) + piece)
        }
    }

    func complain(_ failure: Failure) {
        errors(style("31", "error: ") + failure.message.printable + "\n")
        if let advice = failure.advice { errors(advice + "\n") }
    }

    // MARK: Styles

    func bold(_ text: String) -> String { style("1", text) }
    func dim(_ text: String) -> String { style("2", text) }
    func bar(_ text: String) -> String { style("36", text) }
    func removed(_ text: String) -> String { hasColors ? style("31", text) : "[-\(text)-]" }
    func added(_ text: String) -> String { hasColors ? style("32", text) : "[+\(text)+]" }
    func highlight(_ text: String) -> String { hasColors ? style("1;33", text) : "«\(text)»" }

    private func style(_ code: String, _ text: String) -> String {
        hasColors && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension Terminal {
    /// Standard output and standard error.
    public static var standard: Terminal {
        let environment = ProcessInfo.processInfo.environment
        let isLive = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        return Terminal(
            width: columns, hasColors: isLive && environment["NO_COLOR", default: ""].isEmpty, isLive: isLive,
            output: { FileHandle.standardOutput.write(Data($0.utf8)) },
            errors: { FileHandle.standardError.write(Data($0.utf8)) })
    }

    /// The columns of the window, limited to a readable width.
    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
        return min(100, max(60, Int(size.ws_col)))
    }
}
