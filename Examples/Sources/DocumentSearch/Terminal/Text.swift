import Foundation

extension StringProtocol {
    /// The text in one line, without control characters.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isObeyed ? "\u{FFFD}" : $0 }))
    }

    /// Returns the text, shortened to a number of columns.
    func shortened(to columns: Int) -> String {
        count <= columns ? String(self) : prefix(Swift.max(0, columns - 1)) + "…"
    }

    func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, columns - count))
    }

    func leftPadded(to columns: Int) -> String {
        String(repeating: " ", count: Swift.max(0, columns - count)) + self
    }

    /// Returns the text in lines with a maximum number of columns, broken between words.
    func wrapped(to columns: Int) -> [String] {
        var lines = [""]
        for word in split(separator: " ") {
            if lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = String(word)
            } else if lines[lines.count - 1].count + 1 + word.count <= columns {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { $0.shortened(to: columns) }
    }
}

extension Unicode.Scalar {
    fileprivate var isObeyed: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension BinaryInteger {
    /// The number with grouped digits, such as `1,234,567`.
    var grouped: String {
        var text = ""
        for (index, digit) in String(self).reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// Returns a count with its noun, such as `3 files` or `1 file`.
    func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(grouped) \(noun)s" }

    /// The number of bytes in megabytes, such as `30.1 MB`.
    var megabytes: String { String(format: "%.1f MB", Double(self) / 1e6) }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }

    /// The duration, such as `12.34 s` or `3.1 ms`.
    var text: String {
        inSeconds >= 1 ? String(format: "%.2f s", inSeconds) : String(format: "%.1f ms", inSeconds * 1000)
    }
}
