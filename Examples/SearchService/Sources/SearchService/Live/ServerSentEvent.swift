import Foundation
import NIOCore

/// An event as browsers read it: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
enum ServerSentEvent {
    /// An event with JSON, which has no line breaks.
    static func make(_ name: String, _ value: some Encodable) throws -> ByteBuffer {
        let json = String(decoding: try JSONEncoder.service.encode(value), as: UTF8.self)
        return ByteBuffer(string: "event: \(name)\ndata: \(json)\n\n")
    }

    /// A comment, which browsers ignore. Sending it shows whether the client is still there.
    static let heartbeat = ByteBuffer(string: ": \n\n")

    /// The last event. The browser doesn't connect again.
    static func ended(_ reason: String) -> ByteBuffer {
        (try? make("ended", ["reason": reason])) ?? heartbeat
    }
}
