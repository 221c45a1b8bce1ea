#if Replication && (os(Linux) || os(macOS))
import Foundation

/// The address of a replica, as Litestream reads it. Two addresses are equal if they name the same path of the same store.
struct ReplicaAddress: Hashable {
    let scheme: String
    /// The bucket, with the account and the port, if any.
    let host: String
    /// The path without needless parts. For a folder, symbolic links are resolved.
    let path: String
    /// The S3 server, if it isn't that of AWS.
    let endpoint: String

    /// - Returns: nil if the string isn't a URL with a scheme.
    init?(_ url: String) {
        guard let components = URLComponents(string: url), let scheme = components.scheme?.lowercased() else {
            return nil
        }
        self.scheme = scheme
        if scheme == "file" {
            (host, endpoint, path) = ("", "", Self.folder(components))
            return
        }
        let account = components.user.map { "\($0)@" } ?? ""
        let port = components.port.map { ":\($0)" } ?? ""
        host = account + (components.host ?? "").lowercased() + port
        path = Self.cleaned(components.path)
        let endpoint = components.queryItems?.first { $0.name == "endpoint" }?.value
        self.endpoint = endpoint.map(Self.server) ?? ""
    }

    /// The folder of the replica. Nil for a store.
    var folder: String? { scheme == "file" ? path : nil }

    /// Litestream takes the encoded characters of a path for the name, and a host for a part of the path.
    private static func folder(_ components: URLComponents) -> String {
        var path = components.percentEncodedPath
        if let host = components.percentEncodedHost, !host.isEmpty { path = "/" + host + path }
        if let fragment = components.percentEncodedFragment { path += "#" + fragment }
        if !path.hasPrefix("/") { path = FileManager.default.currentDirectoryPath + "/" + path }
        return resolved("/" + cleaned(path))
    }

    /// The path without `.`, `..` and empty parts.
    private static func cleaned(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    /// Resolves the symbolic links of the folders that exist.
    private static func resolved(_ path: String) -> String {
        var (existing, rest) = (URL(fileURLWithPath: path), [String]())
        while existing.path != "/" {
            if let real = realpath(existing.path, nil) {
                defer { free(real) }
                return ([String(cString: real)] + rest).joined(separator: "/")
            }
            rest.insert(existing.lastPathComponent, at: 0)
            existing.deleteLastPathComponent()
        }
        return path
    }

    /// The scheme, the host and the port of a server.
    private static func server(_ endpoint: String) -> String {
        let url = endpoint.contains("://") ? endpoint : "https://" + endpoint
        guard let components = URLComponents(string: url), let host = components.host else { return endpoint }
        let scheme = components.scheme?.lowercased() ?? "https"
        return "\(scheme)://\(host.lowercased()):\(components.port ?? (scheme == "http" ? 80 : 443))"
    }
}
#endif
