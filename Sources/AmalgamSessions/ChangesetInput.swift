import AmalgamCore
import CAmalgam
public import Foundation

/// The source of a changeset or patchset, which is read in chunks.
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

    /// Creates an input that calls a closure for each chunk.
    ///
    /// ```swift
    /// let input = ChangesetInput { try handle.read(upToCount: 4096) }
    /// ```
    ///
    /// - Parameter nextChunk: returns the next chunk, of any size. Nil or an empty chunk ends the input. The method
    ///   that reads the input, such as `apply(from:)`, rethrows the errors of the closure.
    public init(_ nextChunk: @escaping () throws -> Data?) {
        open = { nextChunk }
    }

    private init(open: @escaping () throws -> () throws -> Data?) {
        self.open = open
    }

    /// Returns an input that reads a file.
    ///
    /// ```swift
    /// try db.apply(from: .file(url))
    /// ```
    public static func file(_ url: URL) -> ChangesetInput {
        ChangesetInput(open: {
            // The handle closes the file when it is released, after the last chunk.
            let handle = try FileHandle(forReadingFrom: url)
            return { try handle.read(upToCount: chunkSize) }
        })
    }

    /// Returns an input that reads a file handle from its current offset. The handle isn't closed.
    public static func fileHandle(_ handle: FileHandle) -> ChangesetInput {
        ChangesetInput { try handle.read(upToCount: chunkSize) }
    }

    /// Returns an input that reads bytes in memory.
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

    /// Calls a closure with the C function with which SQLite reads the input, and with the context of this function.
    func read<T>(_ body: (CFunction, Context) throws -> T) throws -> T {
        let context = try makeContext()
        return try withExtendedLifetime(context) { try body(Self.function, context) }
    }

    func makeContext() throws -> Context { Context(try open()) }

    /// The rest of the current chunk, and the error of the input.
    final class Context {
        private let nextChunk: () throws -> Data?
        private var chunk = Data()
        private var isAtEnd = false
        private(set) var error: (any Error)?

        init(_ nextChunk: @escaping () throws -> Data?) {
            self.nextChunk = nextChunk
        }

        var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        /// Returns the error of the input; if there is none, the error of the SQLite function that has read the input.
        func failure(_ code: CInt) -> any Error {
            error ?? ChangeReader.failure(code)
        }

        /// Copies bytes of the current chunk to a buffer. Returns the number of copied bytes, or nil after an error.
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
