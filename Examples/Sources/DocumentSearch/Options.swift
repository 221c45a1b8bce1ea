/// The command-line options.
struct Options {
    var corpus = "."
    var query = "snapshot transaction"
    var isRaw = false
    var database: String?
    var showsHelp = false

    static let help = """
        Indexes a folder of documents, searches it, and shows what the library does on the way.

        usage: search [--corpus DIR] [--query TEXT [--raw]] [--db FILE]

          --corpus DIR   the folder to index, with its subfolders; hidden files and links are left out
          --query TEXT   what to search, as in a search box: two words, "a phrase", -word, a OR b,
                         beginning*, title:word, path:word, text:word; words may have typos
          --raw          take the query as FTS5 syntax: 'wal NEAR checkpoint', 'title : snap*'
          --db FILE      keep the database in this file; a second run re-indexes what has changed
          --help         this text

        The files of the folder are only read: the edit is made in the database.

        """

    init(_ arguments: [String]) throws {
        var arguments = arguments[...]
        while let argument = arguments.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, parts[0].hasPrefix("--") { arguments = [parts[1]] + arguments }
            switch (parts[0], parts.count) {
            case ("--corpus", _): corpus = try Self.value(of: parts[0], &arguments)
            case ("--query", _): query = try Self.value(of: parts[0], &arguments)
            case ("--db", _): database = try Self.value(of: parts[0], &arguments)
            case ("--raw", 1): isRaw = true
            case ("--help", 1), ("-h", 1): showsHelp = true
            default: throw Failure("There is no option \(argument).", advice: "See --help.", exitCode: 2)
            }
        }
    }

    private static func value(of option: String, _ arguments: inout ArraySlice<String>) throws -> String {
        if let value = arguments.popFirst(), !value.isEmpty { return value }
        throw Failure("\(option) needs a value.", advice: "See --help.", exitCode: 2)
    }
}
