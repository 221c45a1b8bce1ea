import AmalgamCore
import CAmalgam
public import Foundation

/// Where a changeset is written to, chunk by chunk.
///
/// ```swift
/// try session.writeChangeset(to: .file(url))
/// try session.writeChangeset(to: ChangesetOutput { bytes in digest.update(bufferPointer: bytes) })
/// ```
///
/// See <https://sqlite.org/session/changegroup_add_strm.html>.
public struct ChangesetOutput {
    typealias CFunction = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, CInt) -> CInt

    /// What one use of the output does.
    private struct Sink {
        var write: (UnsafeRawBufferPointer) throws -> Void
        /// All is written.
        var finish: () throws -> Void = {}
        /// Something has failed.
        var abandon: () -> Void = {}
    }

    private let open: () throws -> Sink

    /// Calls a closure with each chunk, in order. Chunks are some kilobytes long, and valid during the call. An error
    /// stops the output, and is thrown by what writes.
    public init(_ write: @escaping (_ bytes: UnsafeRawBufferPointer) throws -> Void) {
        open = { Sink(write: write) }
    }

    private init(open: @escaping () throws -> Sink) {
        self.open = open
    }

    /// Writes to a file, which is created, or replaced, once all is written. When something fails, an existing file
    /// stays as it was.
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
                    // In one step: there is always a file.
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

    /// Writes to a file handle, from where it stands. The handle stays open.
    public static func fileHandle(_ handle: FileHandle) -> ChangesetOutput {
        ChangesetOutput(open: {
            let buffer = WriteBuffer(handle)
            return Sink(write: buffer.write, finish: buffer.flush)
        })
    }

    /// Lends what writes, and finishes.
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

    /// Lends the function and the context that SQLite writes with.
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

/// Collects SQLite's chunks of one kilobyte, so that a file is not written to in such small steps.
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
