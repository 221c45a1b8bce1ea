import Foundation

/// Returns the text of a file below /proc. Foundation's `String(contentsOfFile:)` stops after the first read, which gives some
/// 4 KB of it.
package func systemFile(_ path: String) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    return try String(decoding: file.readToEnd() ?? Data(), as: UTF8.self)
}
