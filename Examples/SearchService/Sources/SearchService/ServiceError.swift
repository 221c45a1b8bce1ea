/// An error with a message for the person who has started the service.
struct ServiceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
