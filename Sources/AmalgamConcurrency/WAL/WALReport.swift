public import AmalgamCore
public import Foundation

/// A report on a checkpoint of a ``WALPolicy``, or on the current state of a WAL file.
///
/// ```swift
/// config.walPolicy = WALPolicy { report in
///     print(report)
///     // size: 4021 of 5310 frames, 21878464 bytes, 8 ms, held back by GRDB.DatabasePool.reader.2 since 12.5 s
/// }
/// ```
public struct WALReport: Sendable {
    /// The reason for a report.
    ///
    /// ```swift
    /// config.walPolicy = WALPolicy { report in
    ///     if report.trigger == .age { print("The frames have reached the maximum age.") }
    /// }
    /// ```
    public enum Trigger: String, Sendable {
        /// The frames in the WAL file exceeded ``WALPolicy/maximumSize``.
        case size
        /// The frames had waited for ``WALPolicy/maximumAge``.
        case age
        /// The read that blocked the previous checkpoint has ended.
        case readEnded
        /// The application requested a report. No frames were copied.
        case request
    }

    /// The reason for the report.
    public let trigger: Trigger

    /// The number of frames in the WAL file. Each contains one page.
    public let frameCount: Int

    /// The number of frames that are in the database file.
    public let checkpointedFrameCount: Int

    /// The size of the WAL file in bytes.
    public let fileSize: Int

    /// The time for which the checkpoint, or the request, occupied the writer.
    public let duration: Duration

    /// Whether the WAL file was truncated to zero bytes.
    public let isTruncated: Bool

    /// The readers that blocked the checkpoint. In the report of `walReport()`, which runs no checkpoint: all readers
    /// of the WAL file. The reader of the oldest snapshot comes first.
    public let readers: [WALReader]

    /// The error of a failed checkpoint: `SQLITE_BUSY` if another connection ran a checkpoint, or an I/O error. The
    /// checkpoint is repeated when the file has grown, and when its frames reach the maximum age.
    public let error: DatabaseError?

    /// The first of ``readers``: the reader of the oldest snapshot.
    public var oldestReader: WALReader? { readers.first }

    /// Whether all frames are in the database file.
    public var isComplete: Bool { error == nil && checkpointedFrameCount >= frameCount }

    package init(
        trigger: Trigger, frameCount: Int, checkpointedFrameCount: Int, fileSize: Int, duration: Duration,
        isTruncated: Bool, readers: [WALReader], error: DatabaseError?
    ) {
        self.trigger = trigger
        self.frameCount = frameCount
        self.checkpointedFrameCount = checkpointedFrameCount
        self.fileSize = fileSize
        self.duration = duration
        self.isTruncated = isTruncated
        self.readers = readers
        self.error = error
    }
}

/// A reader of a snapshot that prevents SQLite from reusing the WAL file.
///
/// ```swift
/// for reader in try dbPool.walReport().readers { print(reader.name, reader.processID) }
/// ```
public struct WALReader: Hashable, Sendable {
    /// The name of the connection, as in `Database.description`. For another process, it is a generic name such as
    /// "process 4711". For a connection of this process outside of the pool, it is "another connection of this
    /// process". Without a `Configuration.walPolicy`, all names are generic.
    public let name: String

    /// The identifier of the process that reads.
    public let processID: Int32

    /// The time when the access began. Nil if it isn't known.
    public let since: Date?

    /// The duration of the access at the time of the report. Nil if it isn't known.
    public let age: Duration?

    package init(name: String, processID: Int32, since: Date?, age: Duration?) {
        self.name = name
        self.processID = processID
        self.since = since
        self.age = age
    }
}

extension WALReader: CustomStringConvertible {
    public var description: String {
        age.map { "\(name) since \(($0 / .milliseconds(1)).rounded() / 1000) s" } ?? name
    }
}

extension WALReport: CustomStringConvertible {
    public var description: String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        var parts = ["\(trigger.rawValue): \(checkpointedFrameCount) of \(frameCount) frames", "\(fileSize) bytes"]
        parts.append("\(milliseconds) ms")
        if isTruncated { parts.append("truncated") }
        if let oldestReader { parts.append("held back by \(oldestReader)") }
        if let error { parts.append("\(error)") }
        return parts.joined(separator: ", ")
    }
}
