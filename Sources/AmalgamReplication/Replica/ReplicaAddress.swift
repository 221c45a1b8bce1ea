#if Replication && (os(Linux) || os(macOS))
import Foundation

/// The address of a replica, as Litestream reads it. Two addresses are equal if they name the same path of the same store.
struct ReplicaAddress: Hashable {
    let scheme: String
    /// The bucket, with the account and the port, if any.
    let host: String
    /// The path without needless parts. For a folder, symbolic links are resolved.
    let path: String
    /// The S3 server, if it isn't one of AWS; for AWS in China, whose buckets are others, the end of its hosts.
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
        path = Self.cleaned(components.path)
        let account = components.user.map { "\($0)@" } ?? ""
        let port = components.port.map { ":\($0)" } ?? ""
        let host = (components.host ?? "").lowercased()
        let parameters = components.queryItems ?? []
        let endpoint = parameters.first { $0.name == "endpoint" }?.value.map(Self.server)
        let (own, others) = (AWSHost(host), endpoint.flatMap(AWSHost.init(server:)))
        if scheme == "s3", endpoint == nil || others != nil {
            let isInChina = parameters.contains { $0.name == "region" && $0.value?.hasPrefix("cn-") == true }
            let domain = own?.domain ?? others?.domain ?? (isInChina ? AWSHost.china : "")
            self.endpoint = domain == AWSHost.china ? domain : ""
            self.host = own.map(\.bucket) ?? account + host + port
        } else {
            self.endpoint = endpoint ?? ""
            self.host = account + host + port
        }
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

/// A host of S3 in AWS: `bucket.s3.eu-central-1.amazonaws.com`, and without the bucket, the server of an endpoint.
private struct AWSHost {
    static let china = "amazonaws.com.cn"

    /// Empty for the server.
    let bucket: String
    let domain: String

    /// Returns nil for the host of a different store.
    init?(_ host: String) {
        guard let domain = ["amazonaws.com", Self.china].first(where: { host.hasSuffix("." + $0) }) else { return nil }
        let labels = host.dropLast(domain.count + 1).split(separator: ".")
        // Such as `s3`, `s3-eu-west-1` and `s3.dualstack`; the labels before it are those of the bucket.
        guard let service = labels.lastIndex(where: { $0 == "s3" || $0.hasPrefix("s3-") }) else { return nil }
        bucket = labels[..<service].joined(separator: ".")
        self.domain = domain
    }

    /// - Parameter server: the scheme, the host and the port.
    init?(server: String) {
        guard let host = URLComponents(string: server)?.host else { return nil }
        self.init(host)
    }
}
#endif
