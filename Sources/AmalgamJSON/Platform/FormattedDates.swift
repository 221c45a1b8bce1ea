import Foundation

// On Apple's platforms, dates by a formatter are a case of their own. Elsewhere, they are closures.

extension JSONDecoder.DateDecodingStrategy {
    /// What reads dates, when it is a formatter.
    var formatter: DateFormatter? {
        #if canImport(Darwin)
        if case .formatted(let formatter) = self { return formatter }
        #endif
        return nil
    }
}

extension JSONEncoder.DateEncodingStrategy {
    /// What writes dates, when it is a formatter.
    var formatter: DateFormatter? {
        #if canImport(Darwin)
        if case .formatted(let formatter) = self { return formatter }
        #endif
        return nil
    }
}
