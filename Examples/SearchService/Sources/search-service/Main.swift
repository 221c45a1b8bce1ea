import ArgumentParser
import Foundation
import Logging
import SearchService

/// Serves a full-text search of documents in the browser.
@main
struct Main: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search-service", abstract: "Serves a full-text search of documents in the browser.")

    @Option(help: "The folder with the documents.")
    var corpus: String?

    @Option(help: "A file with a JSON object in each line, instead of a folder.")
    var json: String?

    @Option(name: .customLong("db"), help: "The database file.")
    var database = "search-service.sqlite"

    @Option(help: "The address to listen on. Addresses other than the loopback address can be reached from outside.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on.")
    var port = 8080

    @Option(help: "The file with the hash of the key for editing and operating.")
    var keyFile: String?

    @Flag(help: "Make a key, store its hash in the file of --key-file, print the key, and exit.")
    var makeKey = false

    @Option(help: "The languages of the documents, separated by commas, such as en,de.")
    var languages = "en"

    @Option(help: "A JSON file with synonyms by language.")
    var synonyms: String?

    @Option(help: "The members of the metadata that are facets, separated by commas.")
    var facets: String?

    @Option(help: "The limit of requests per minute of one client. 0 is no limit.")
    var requestsPerMinute = 1_200

    @Flag(help: "Clients reach the service by HTTPS only, through a proxy.")
    var https = false

    @Option(help: "Replace the database with this backup, and start.")
    var restore: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.notice

    func validate() throws {
        if (corpus == nil) == (json == nil) && !makeKey { throw ValidationError("Give either --corpus or --json.") }
        if makeKey && keyFile == nil { throw ValidationError("--make-key needs --key-file.") }
    }

    func run() async throws {
        if makeKey, let keyFile { return print(try SearchService.makeKey(at: URL(filePath: keyFile))) }
        var logger = Logger(label: "search-service")
        logger.logLevel = logLevel
        do {
            if let restore { try SearchService.restore(restore, to: database) }
            try await SearchService(settings, logger: logger).run()
        } catch {
            FileHandle.standardError.write(Data("search-service: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    private var settings: ServiceConfiguration {
        let source: ServiceConfiguration.Source =
            json.map { .jsonLines(URL(filePath: $0)) } ?? .folder(URL(filePath: corpus ?? "."))
        var settings = ServiceConfiguration(source: source, database: database)
        settings.host = host
        settings.port = port
        settings.keyFile = keyFile.map { URL(filePath: $0) }
        settings.languages = languages.split(separator: ",").map(String.init)
        settings.synonyms = synonyms.map { URL(filePath: $0) }
        settings.facets = facets?.split(separator: ",").map(String.init) ?? []
        settings.requestsPerMinute = requestsPerMinute == 0 ? nil : requestsPerMinute
        settings.isHTTPS = https
        return settings
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
