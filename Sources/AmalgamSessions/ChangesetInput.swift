import AmalgamCore
import CAmalgam
public import Foundation

/// Where a changeset or patchset is read from, chunk by chunk.
///
/// ```swift
/// try db.apply(from: .file(url)) { conflict in conflict.replaceOrOmit }
/// try db.apply(from: ChangesetInput { try socket.receive() })
/// ```
///
/// See <https://sqlite.org/session/changegroup_add_strm.html>.
public struct ChangesetInput {
    typealias CFunction =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<CInt>?
        ) -> CInt

    private let open: () throws -> () throws -> Data?

    /// Calls a closure for each chunk. Chunks may have any size; nil and an empty chunk are the end. An error stops
    /// the input, and is thrown by what reads.
    public init(_ nextChunk: @escaping () throws -> Data?) {
        open = { nextChunk }
    }

    private init(open: @escaping () throws -> () throws -> Data?) {
        self.open = open
    }

    /// Reads a file.
    public static func file(_ url: URL) -> ChangesetInput {
        ChangesetInput(open: {
            // The handle closes the file when it is released, after the last chunk.
            let handle = try FileHandle(forReadingFrom: url)
            return { try handle.read(upToCount: chunkSize) }
        })
    }

    /// Reads a file handle, from where it stands. The handle stays open.
    public static func fileHandle(_ handle: FileHandle) -> ChangesetInput {
        ChangesetInput { try handle.read(upToCount: chunkSize) }
    }

    /// Reads bytes in memory.
    public static func data(_ data: Data) -> ChangesetInput {
        ChangesetInput(open: {
            var rest: Data? = data
            return {
                defer { rest = nil }
                return rest
            }
        })
    }

    private static let chunkSize = 1 << 16

    /// Lends the function and the context that SQLite reads with.
    func read<T>(_ body: (CFunction, Context) throws -> T) throws -> T {
        let context = try makeContext()
        return try withExtendedLifetime(context) { try body(Self.function, context) }
    }

    func makeContext() throws -> Context { Context(try open()) }

    /// What is left of the chunk under way, and the error that has stopped the input.
    final class Context {
        private let nextChunk: () throws -> Data?
        private var chunk = Data()
        private var isAtEnd = false
        private(set) var error: (any Error)?

        init(_ nextChunk: @escaping () throws -> Data?) {
            self.nextChunk = nextChunk
        }

        var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        /// The error behind the failure of a function that was reading.
        func failure(_ code: CInt) -> any Error {
            error ?? ChangeReader.failure(code)
        }

        /// Fills a buffer, with as much as the chunk under way has.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
            do {
                if chunk.isEmpty { try refill() }
            } catch {
                self.error = error
                return nil
            }
            let count = min(buffer.count, chunk.count)
            if count > 0 {
                chunk.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                chunk = chunk.dropFirst(count)
            }
            return count
        }

        private func refill() throws {
            if isAtEnd { return }
            chunk = try nextChunk() ?? Data()
            isAtEnd = chunk.isEmpty
        }
    }

    static let function: CFunction = { context, buffer, count in
        guard let context, let buffer, let count else { return SQLITE_MISUSE }
        let input = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
        guard
            let filled = input.fill(UnsafeMutableRawBufferPointer(start: buffer, count: Int(max(0, count.pointee))))
        else { return SQLITE_ABORT }
        count.pointee = CInt(filled)
        return SQLITE_OK
    }
}
