import AmalgamCore
import CAmalgam
public import Foundation

/// The destination of a changeset or patchset, which is written in chunks.
///
/// ```swift
/// try session.writeChangeset(to: .file(url))
/// try session.writeChangeset(to: ChangesetOutput { bytes in digest.update(bufferPointer: bytes) })
/// ```
///
/// See <https://sqlite.org/session/changegroup_add_strm.html>.
public struct ChangesetOutput {
    typealias CFunction = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, CInt) -> CInt

    /// The closures with which one changeset is written to the output.
    private struct Sink {
        var write: (UnsafeRawBufferPointer) throws -> Void
        /// Called when all chunks have been written.
        var finish: () throws -> Void = {}
        /// Called after a failure.
        var abandon: () -> Void = {}
    }

    private let open: () throws -> Sink

    /// Creates an output that calls a closure with each chunk, in order.
    ///
    /// ```swift
    /// var size = 0
    /// try session.writeChangeset(to: ChangesetOutput { bytes in size += bytes.count })
    /// ```
    ///
    /// - Parameter write: receives a chunk of some kilobytes, which is valid during the call. The method that writes to
    ///   the output, such as `writeChangeset(to:)`, rethrows the errors of the closure.
    public init(_ write: @escaping (_ bytes: UnsafeRawBufferPointer) throws -> Void) {
        open = { Sink(write: write) }
    }

    private init(open: @escaping () throws -> Sink) {
        self.open = open
    }

    /// Returns an output that writes a file. The chunks are written to a temporary file, which replaces the given file
    /// at the end, unless there was an error.
    ///
    /// ```swift
    /// try session.writeChangeset(to: .file(url))
    /// ```
    public static func file(_ url: URL) -> ChangesetOutput {
        ChangesetOutput(open: {
            let directory = url.deletingLastPathComponent()
            let temporary = directory.appendingPathComponent(".\(url.lastPathComponent)-\(UUID().uuidString)")
            try Data().write(to: temporary)
            let handle = try FileHandle(forWritingTo: temporary)
            let buffer = WriteBuffer(handle)
            return Sink(
                write: buffer.write,
                finish: {
                    try buffer.flush()
                    try handle.close()
                    // Renaming replaces the file atomically.
                    guard rename(temporary.path, url.path) == 0 else {
                        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
                    }
                },
                abandon: {
                    try? handle.close()
                    try? FileManager.default.removeItem(at: temporary)
                })
        })
    }

    /// Returns an output that writes to a file handle at its current offset. The handle isn't closed.
    public static func fileHandle(_ handle: FileHandle) -> ChangesetOutput {
        ChangesetOutput(open: {
            let buffer = WriteBuffer(handle)
            return Sink(write: buffer.write, finish: buffer.flush)
        })
    }

    /// Calls a closure with a function that writes chunks. Then finishes or abandons the output.
    func write(_ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let sink = try open()
        do {
            try body(sink.write)
            try sink.finish()
        } catch {
            sink.abandon()
            throw error
        }
    }

    /// Runs a closure that calls a function of SQLite, such as `sqlite3session_changeset_strm`, to write to the output.
    /// The closure must pass its two arguments to the function of SQLite: the C function that receives the bytes, and
    /// the context pointer of this C function.
    func write(
        onFailure failure: (CInt) -> any Error, _ body: (CFunction, UnsafeMutableRawPointer) throws -> CInt
    ) throws {
        try write { sink in
            try withoutActuallyEscaping(sink) { sink in
                let context = Context(write: sink)
                let code = try withExtendedLifetime(context) {
                    try body(Self.function, Unmanaged.passUnretained(context).toOpaque())
                }
                if let error = context.error { throw error }
                if code != SQLITE_OK { throw failure(code) }
            }
        }
    }

    private final class Context {
        let write: (UnsafeRawBufferPointer) throws -> Void
        var error: (any Error)?

        init(write: @escaping (UnsafeRawBufferPointer) throws -> Void) {
            self.write = write
        }
    }

    private static let function: CFunction = { context, bytes, count in
        let context = Unmanaged<Context>.fromOpaque(context!).takeUnretainedValue()
        do {
            try context.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return SQLITE_OK
        } catch {
            context.error = error
            return SQLITE_ABORT
        }
    }
}

/// A buffer that collects SQLite's chunks of one kilobyte, and writes them to a file 64 kilobytes at a time.
private final class WriteBuffer {
    private let handle: FileHandle
    private var bytes = Data()
    private static let capacity = 1 << 16

    init(_ handle: FileHandle) {
        self.handle = handle
        bytes.reserveCapacity(Self.capacity)
    }

    func write(_ chunk: UnsafeRawBufferPointer) throws {
        bytes.append(contentsOf: chunk)
        if bytes.count >= Self.capacity { try flush() }
    }

    func flush() throws {
        if bytes.isEmpty { return }
        try handle.write(contentsOf: bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
