package import Testing

/// Expects that a process ended with this text on its standard error.
///
/// ```swift
/// let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { … }
/// expectText("row index out of range", of: result)
/// ```
package func expectText(
    _ text: String, of result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation
) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Fatal error: \(text)"), "\(output)", sourceLocation: sourceLocation)
}
