#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A pair of connected sockets. A process of the engine has one end, and is ended when the other one closes, because this
/// process has ended by any cause.
final class Lifeline: Sendable {
    private let own: CInt
    /// The standard output or input of the process. It is closed here after the process has started.
    let engineEnd: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        #if os(Linux)
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        if socketpair(AF_UNIX, type, 0, &ends) != 0 {
            throw ReplicationError(.engineFailed, "No socket: \(String(cString: strerror(errno))).")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (own, engineEnd) = (ends[0], ends[1])
        Self.preventSignals(of: own)
    }

    deinit { close(own) }

    /// Tells the shell that the process has ended, so that it doesn't send a signal. If the shell has ended, too, nothing
    /// happens.
    func processDidEnd() { _ = send(own, "\n", 1, Self.flags) }

    /// The flags of `send` for a socket whose other end may be closed: the system doesn't send `SIGPIPE` to this process.
    #if os(Linux)
    static let flags = CInt(MSG_NOSIGNAL)
    #else
    static let flags: CInt = 0
    #endif

    /// Does the same for all writes to a socket, on systems without the flag.
    static func preventSignals(of socket: CInt) {
        #if !os(Linux)
        var one: CInt = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    /// A shell script whose arguments are a program and its arguments. The program takes the place of the shell. Another
    /// shell waits for a line of the socket, and sends `SIGTERM` to the program if the socket closes instead. It doesn't
    /// keep standard error, whose end this process reads.
    static let script = """
        (exec 2>/dev/null; read line <&1 || kill $$) &
        exec "$0" "$@" >/dev/null
        """

    /// The same script for a process whose standard output is read: the socket is its standard input. A process in the
    /// background has another standard input, so it reads a copy of the descriptor. Only this user can read the files that
    /// the program creates.
    static let inputScript = """
        umask 077
        exec 3<&0
        (exec >/dev/null 2>&1; read line <&3 || kill $$) &
        exec "$0" "$@" </dev/null 3<&-
        """

    /// The first script for a process whose files only this user can read.
    static let privateScript = "umask 077\n" + script
}
#endif
