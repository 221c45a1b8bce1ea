import Foundation

/// A program of this package that a test starts, communicates with, stops and kills.
///
/// Foundation's `Process` needs a run loop to detect the end of a process, which a test doesn't have: this class uses
/// system calls to start it and wait for it. Methods block the thread. One thread may send lines to the process while
/// another one reads its output.
public final class ChildProcess: @unchecked Sendable {
    // Sendable: the handles are constant; only the reading thread uses `said`, and only the other one `status`.
    private let name: String
    private let identifier: pid_t
    private let input: FileHandle
    private let output: FileHandle
    private var said = Data()

    /// The exit status of the process; nil until its end was detected.
    private var status: CInt?

    /// An error of the test support.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }
    }

    /// Starts a program that is built next to this one.
    public init(_ program: String, _ arguments: [String]) throws {
        name = program
        // If a process has ended, the next call throws. SIGPIPE must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let (stdin, stdout) = (Self.pipe(), Self.pipe())
        input = stdin.fileHandleForWriting
        output = stdout.fileHandleForReading
        identifier = try Self.spawn(
            [Self.path(of: program)] + arguments, input: stdin.fileHandleForReading.fileDescriptor,
            output: stdout.fileHandleForWriting.fileDescriptor)
        try stdin.fileHandleForReading.close()
        try stdout.fileHandleForWriting.close()
    }

    deinit {
        if status != nil { return }
        kill()
        wait()
    }

    /// Returns a pipe that other child processes don't inherit: otherwise its end would not be detected.
    private static func pipe() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }

    private static func spawn(_ arguments: [String], input: CInt, output: CInt) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var strings = arguments.map { strdup($0) }
        defer { strings.forEach { free($0) } }
        strings.append(nil)
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, arguments[0], &actions, nil, strings, environ)
        if code != 0 { throw Failure("\(arguments[0]) does not start: error \(code)") }
        return identifier
    }

    /// The path of a program of this package. Programs are built next to the test bundle, and next to each other.
    public static func path(of program: String) throws -> String {
        let own = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        let path = folder.appendingPathComponent(program).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("there is no \(path)")
        }
        return path
    }

    // MARK: Communication

    /// Writes a line to the standard input of the process.
    public func say(_ line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Reads a line of the standard output of the process; nil when it has ended.
    public func readLine() -> String? {
        while true {
            if let end = said.firstIndex(of: 0x0A) {
                defer { said = Data(said[(end + 1)...]) }
                return String(decoding: said[..<end], as: UTF8.self)
            }
            let data = output.availableData
            if data.isEmpty { return nil }
            said += data
        }
    }

    /// Waits until the process writes output, or ends.
    public func waitForOutput() {
        if said.isEmpty { said += output.availableData }
    }

    /// Returns the unread lines, up to the end of the process, without a truncated last line.
    public func remainingLines() -> [String] {
        said += output.readDataToEndOfFile()
        defer { said = Data() }
        return String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    // MARK: Signals

    public func kill() { send(SIGKILL) }

    /// Continues a process that has stopped.
    public func resume() { send(SIGCONT) }

    private func send(_ signal: CInt) {
        if status == nil { Foundation.kill(identifier, signal) }
    }

    /// Waits until the process stops itself.
    public func waitForStop() throws {
        var status: CInt = 0
        waitpid(identifier, &status, WUNTRACED)
        if status & 0xff == 0x7f { return }
        self.status = status
        throw Failure("\(name) has ended: status \(status)")
    }

    /// Waits for the end of the process.
    @discardableResult
    public func wait() -> End {
        if status == nil {
            var status: CInt = 0
            waitpid(identifier, &status, 0)
            self.status = status
        }
        let signal = status! & 0x7f
        return signal == 0 ? .exit(status! >> 8) : .signal(signal)
    }

    /// How a process has ended.
    public enum End: Equatable, Sendable {
        case exit(CInt)
        case signal(CInt)
    }
}
