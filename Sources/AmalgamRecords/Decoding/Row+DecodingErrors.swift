import AmalgamCore

extension Row {
    /// Adds the column and the row to a `DecodingError` of a value inside JSON, whose coding path begins in the JSON.
    func locating(_ error: any Error, atIndex index: Int) -> any Error {
        (error as? DecodingError)?.appending(decodingContext(index: index).description) ?? error
    }

    /// Runs a closure that decodes a column, and adds the column and the row to its `DecodingError`s.
    func locating<T>(atIndex index: Int, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            throw locating(error, atIndex: index)
        }
    }
}

extension DecodingError {
    /// The same error, with a string at the end of its description.
    fileprivate func appending(_ text: String) -> DecodingError {
        switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, context.appending(text))
        case .valueNotFound(let type, let context): .valueNotFound(type, context.appending(text))
        case .keyNotFound(let key, let context): .keyNotFound(key, context.appending(text))
        case .dataCorrupted(let context): .dataCorrupted(context.appending(text))
        @unknown default: self
        }
    }
}

extension DecodingError.Context {
    fileprivate func appending(_ text: String) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath, debugDescription: "\(debugDescription) - \(text)", underlyingError: underlyingError)
    }
}
