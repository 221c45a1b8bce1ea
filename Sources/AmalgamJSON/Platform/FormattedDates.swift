import Foundation

// On Apple platforms, a strategy with a formatter is a separate case. On other platforms, it is a closure.

extension JSONDecoder.DateDecodingStrategy {
    /// The formatter that parses dates, if any.
    var formatter: DateFormatter? {
        #if canImport(Darwin)
        if case .formatted(let formatter) = self { return formatter }
        #endif
        return nil
    }
}

extension JSONEncoder.DateEncodingStrategy {
    /// The formatter that formats dates, if any.
    var formatter: DateFormatter? {
        #if canImport(Darwin)
        if case .formatted(let formatter) = self { return formatter }
        #endif
        return nil
    }
}
