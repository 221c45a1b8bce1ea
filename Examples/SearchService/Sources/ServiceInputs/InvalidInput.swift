/// An input that the service refuses, with a message for the client.
package struct InvalidInput: Error, Equatable {
    package enum Kind: Sendable {
        /// The input can't be read: 400.
        case malformed
        /// The input can be read, but a value in it isn't allowed: 422.
        case unprocessable
        /// The path names nothing: 404.
        case notFound
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
