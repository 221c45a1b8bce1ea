import Foundation

/// What the command line chooses.
public struct ServiceConfiguration: Sendable {
    public enum Source: Sendable {
        /// A folder with files.
        case folder(URL)
        /// A JSON Lines file.
        case jsonLines(URL)
    }

    public var source: Source
    /// The database file.
    public var database: String
    public var host = "127.0.0.1"
    public var port = 8080
    /// The file with the hash of the key for editing and operating.
    public var keyFile: URL?
    /// The languages of the documents.
    public var languages = ["en"]
    /// A JSON file with synonyms by language.
    public var synonyms: URL?
    /// The members of the metadata that are facets. If there are none, the service chooses.
    public var facets: [String] = []
    /// The limit of the requests of one client; nil for no limit.
    public var requestsPerMinute: Int? = 1_200
    /// Whether clients reach the service by HTTPS only, through a proxy.
    public var isHTTPS = false

    public init(source: Source, database: String) {
        self.source = source
        self.database = database
    }

    /// Whether only programs on this machine can connect.
    var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }
}

extension ServiceConfiguration {
    func makeCorpus() throws -> any Corpus {
        switch source {
        case .folder(let url): try FolderCorpus(folder: url)
        case .jsonLines(let url): try JSONLinesCorpus(file: url)
        }
    }

    func makeWording() throws -> Wording {
        try Wording(
            languages: languages, synonyms: try Wording.synonyms(of: synonyms ?? Resources.url("synonyms.json")))
    }

    func makePolicy() throws -> AccessPolicy {
        if let keyFile { return .key(try AccessKey(file: keyFile)) }
        return isLoopback ? .open : .closed
    }
}
