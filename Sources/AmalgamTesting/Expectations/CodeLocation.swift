/// A place in the code of a test.
///
/// Its properties are the parameters of Swift Testing's `SourceLocation`, and `filePath` and `line` are parameters of
/// XCTest's `XCTFail`.
public struct CodeLocation: Hashable, Sendable {
    /// The module and the name of the file: `PlayerTests/PlayerTests.swift`.
    public let fileID: String

    /// The path of the file.
    public let filePath: String

    /// The line, from 1.
    public let line: Int

    /// The column, from 1.
    public let column: Int

    init(_ fileID: String, _ filePath: String, _ line: Int, _ column: Int) {
        (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
    }
}

extension CodeLocation: CustomStringConvertible {
    /// The file and the line: `PlayerTests/PlayerTests.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
