import Hummingbird
import Logging
import NIOCore

/// What the handlers know of a request, in addition to the request.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel
    var visitor = Visitor()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The address of the client.
    var address: String { channel.remoteAddress?.ipAddress ?? "unknown" }

    /// The limit of the body of a request, in bytes.
    static let bodyLimit = 8 << 20

    var maxUploadSize: Int { Self.bodyLimit }
}

/// Who makes a request.
struct Visitor: Sendable {
    /// The random text of the cookie; nil for requests to the API.
    var cookie: String?
    var mayEdit = false
    /// Whether the request carries the key itself, as programs do.
    var hasKey = false
}
