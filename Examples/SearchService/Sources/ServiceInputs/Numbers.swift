/// The numbers in URLs.
extension FormFields {
    /// The parameter `count`: the number of results on a page.
    ///
    /// - Throws: ``InvalidInput`` if it isn't a number from 1 to 100.
    package func resultCount() throws -> Int {
        guard let text = self["count"] else { return 20 }
        guard let count = Int(text), (1...100).contains(count) else {
            throw InvalidInput(.malformed, "The parameter count isn't a number from 1 to 100.")
        }
        return count
    }

    /// The parameter `before`: the identifier of an entry of the history, at which the previous page ended.
    ///
    /// - Returns: nil if the parameter is missing.
    /// - Throws: ``InvalidInput`` if it isn't a number.
    package func entryBefore() throws -> Int64? {
        guard let text = self["before"] else { return nil }
        guard let id = Int64(text) else { throw InvalidInput(.malformed, "The parameter before isn't a number.") }
        return id
    }
}

/// The identifier of a document, in a path.
package enum DocumentIdentifier {
    /// - Throws: ``InvalidInput`` if the text isn't a number.
    package static func parse(_ text: String?) throws -> Int64 {
        guard let id = text.flatMap({ Int64($0) }) else {
            throw InvalidInput(.notFound, "There is no such document.")
        }
        return id
    }
}
