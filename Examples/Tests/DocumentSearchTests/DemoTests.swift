import Foundation
import Testing

@testable import DocumentSearch

/// The program as its user sees it: arguments, output and an exit code.
@Suite struct DemoTests {
    @Test func theWholeJob() async throws {
        let folder = try otters()
        try folder.write(Data([0x7F, 0x45, 0x00]), to: "otter.bin")
        let run = await Run("--corpus", folder.path, "--query", "otters")

        #expect(run.exitCode == 0)
        #expect(run.errors.isEmpty)
        let sections = run.lines.filter { $0.hasPrefix("── ") }.map { $0.filter { $0 != "─" } }
        #expect(sections.count == 7)
        #expect(run.has("SQLite      3."))
        #expect(run.has("sealed      yes"))
        #expect(run.has("indexed     3 files"))
        #expect(run.has("skipped     1 binary"))
        #expect(run.has("2 documents of 3"))
        #expect(run.has("An «otter» holds hands"))
        #expect(run.has("pattern     otters"))
        #expect(run.has("json_each"))
        #expect(run.has("3 of 8 columns changed"))
        #expect(run.has("2 of 2 hits changed"))
        #expect(run.has("during the write  snapshot"))
        #expect(!run.output.contains("\r"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func aTerminalGetsColoursAndABar() async throws {
        let run = try await Run(on: otters(), "--query", "otters", isTerminal: true)
        #expect(run.exitCode == 0)
        #expect(run.has("\u{1B}[1;33motter\u{1B}[0m"))
        #expect(run.has("\r\u{1B}[K  \u{1B}[36m██"))
        #expect(run.has("100%  3/3 files"))
    }

    @Test func everythingFitsInto80Columns() async throws {
        let long = String(repeating: "a long title of an otter, ", count: 20)
        let folder = try otters()
        try folder.write(
            "# \(long)\n\(long)", to: "a/very/long/path/of/folders/that/goes/on/and/on/and/on/otters-\(1e9).md")
        let query = "otters OR otter OR heron OR \"holds hands\" OR river"
        let run = await Run(on: folder, "--query", query, isTerminal: true, width: 80)
        #expect(run.exitCode == 0)
        let text = run.output.replacing(/\u{1B}\[[0-9;]*[mK]/, with: "")
        #expect(text.split { $0 == "\r" || $0.isNewline }.map(String.init).filter { $0.count > 80 } == [])
    }

    @Test func nothingIsFoundAndSomethingIsMeant() async throws {
        // Phrases in quotes must match exactly.
        let run = try await Run(on: otters(), "--query", "\"holdz hands\" -heron")
        #expect(run.exitCode == 0)
        #expect(run.has("0 documents of 3"))
        #expect(!run.lines.contains { $0.hasPrefix("  typos ") })
        #expect(run.has("Did you mean \"holds hands\" -heron? It finds 1 document."))
        #expect(run.has("Facets of 3 documents"))
        #expect(run.has("0 of 0 hits changed"))
    }

    @Test func aQueryWithTyposFindsWhatIsMeant() async throws {
        let run = try await Run(on: otters(), "--query", "otetr slepes")
        #expect(run.exitCode == 0)
        let output = run.output.replacing("\u{A0}", with: " ")
        #expect(output.contains("typos       otetr → otter · slepes → sleep"))
        #expect(run.has("1 document of 3"))
        #expect(run.has("; by typos, bm25"))
        #expect(run.has("An «otter» holds hands"))
        #expect(!run.has("Did you mean"))
    }

    @Test func theCountOfOptionsIsTheNumberOfThoseListed() async throws {
        let run = try await Run(on: otters(), "--query", "otters", width: 10_000)
        let line = try #require(run.lines.first { $0.contains("limits and defaults not listed") })
        let words = line.split(separator: " ")
        let listed = try #require(line.split(separator: ": ").last).split(separator: " ")
        #expect(words[1] == "\(listed.count),")
        let total = try #require(words.firstIndex(of: "limits").map { Int(words[$0 - 1]) ?? 0 }) + listed.count
        #expect(total == Engine().options.count)
    }

    @Test func theDatabaseIsKept() async throws {
        let folder = try otters()
        let database = try Folder()
        let path = database.path + "/kept.sqlite"
        let first = await Run("--corpus", folder.path, "--query", "otters", "--db", path)
        #expect(first.has("Kept in \(path)"))
        try folder.write("# Otters of the lake\n", to: "notes/otters.md")
        let second = await Run("--corpus=\(folder.path)", "--query=otters", "--db=\(path)")
        #expect(second.has("indexed     1 file,"))
        #expect(second.has("0 new, 1 changed"))
        #expect(second.has("unchanged   2"))
    }

    @Test func anEmptyFolderIsNoProblem() async throws {
        let run = try await Run(on: Folder())
        #expect(run.exitCode == 0)
        #expect(run.has("0 documents of 0"))
        #expect(run.has("no document to edit"))
    }

    @Test(arguments: ["\"otter", "otter AND", "(", "nosuchcolumn : otter", "^", "NEAR(", "otter ^^", "*"])
    func aBadQueryIsAMessage(query: String) async throws {
        let run = try await Run(on: otters(), "--raw", "--query", query)
        #expect(run.exitCode == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("error: FTS5 does not understand the query"))
    }

    @Test(arguments: [
        "\"otter", "otter* AND (", "otter:", "NEAR(otter", "otter -heron", "'otter'", "otter\" OR \"",
        String(repeating: "(otter OR -", count: 100),
    ])
    func noTextInTheSearchBoxIsAnError(query: String) async throws {
        let run = try await Run(on: otters(), "--query", query)
        #expect(run.exitCode == 0)
    }

    @Test(arguments: [
        (["--query", "* (\""], "There is nothing to look for in the query"),
        (["--query", "-otter"], "There is nothing to look for in the query"),
        (["--query"], "--query needs a value"),
        (["--query", ""], "--query needs a value"),
        (["--corpus", "/no/such/folder"], "There is no folder"),
        (["--corpus", "/dev/null"], "is not a folder"),
        (["--nonsense"], "There is no option --nonsense"),
        (["--raw=yes"], "There is no option --raw=yes"),
    ])
    func wrongArgumentsAreExplained(arguments: [String], message: String) async {
        let run = await Run(arguments)
        #expect(run.exitCode == 2)
        #expect(run.errors.contains(message))
    }

    @Test func theDatabaseOfAnotherProgramIsLeftAlone() async throws {
        let folder = try otters()
        try folder.write("This is no database, whatever its name says. It is long enough.", to: "x.sqlite")
        let run = await Run("--corpus", folder.path, "--db", folder.path + "/x.sqlite")
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("not a database"))
        let other = await Run("--db", folder.path + "/none/x.sqlite")
        #expect(other.errors.contains("Does the folder of the database exist"))
    }

    @Test func helpIsNotAnError() async {
        let run = await Run("--help")
        #expect(run.exitCode == 0)
        #expect(run.has("usage: search"))
    }
}

/// One run of the program.
struct Run {
    private(set) var output = ""
    private(set) var errors = ""
    private(set) var exitCode: Int32 = -1

    init(_ arguments: String...) async { await self.init(arguments) }

    init(on folder: Folder, _ arguments: String..., isTerminal: Bool = false, width: Int = 100) async {
        await self.init(["--corpus", folder.path] + arguments, isTerminal: isTerminal, width: width)
    }

    init(_ arguments: [String], isTerminal: Bool = false, width: Int = 100) async {
        var (output, errors) = ("", "")
        let terminal = Terminal(
            width: width, hasColors: isTerminal, isLive: isTerminal,
            output: { output += $0 }, errors: { errors += $0 })
        exitCode = await Demo.run(arguments: arguments, on: terminal)
        (self.output, self.errors) = (output, errors)
    }

    var lines: [Substring] { output.split(separator: "\n") }
    func has(_ text: String) -> Bool { output.contains(text) }
}
