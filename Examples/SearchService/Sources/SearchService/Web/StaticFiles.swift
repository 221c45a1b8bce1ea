import Foundation
import Hummingbird

/// The style sheet and the scripts, in memory. Only these files can be requested, so no path leads elsewhere.
struct StaticFiles: Sendable {
    private struct File {
        var type: String
        var bytes: ByteBuffer
        var tag: String
    }

    private let files: [String: File]

    init() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Resources.url("static").path(percentEncoded: false))
        files = try names.reduce(into: [:]) { files, name in
            guard let type = Self.types[String(name.split(separator: ".").last ?? "")] else { return }
            let data = try Data(contentsOf: Resources.url("static/\(name)"))
            files[name] = File(type: type, bytes: ByteBuffer(bytes: data), tag: "\"\(data.fnv1a.magnitude)\"")
        }
    }

    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/static/:name") { request, context in
            guard let file = files[context.parameters.get("name") ?? ""] else { throw HTTPError(.notFound) }
            let headers: HTTPFields = [.contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache"]
            if request.headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: headers) }
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
        }
    }
}
