public import AmalgamCore
public import Foundation

/// What a checkpoint of a ``WALPolicy`` did, or what there is in a WAL file.
///
/// ```swift
/// config.walPolicy = WALPolicy { report in
///     print(report)
///     // size: 4021 of 5310 frames, 21878464 bytes, 8 ms, held back by GRDB.DatabasePool.reader.2 since 12.5 s
/// }
/// ```
public struct WALReport: Sendable {
    /// Why there is a report.
    public enum Trigger: String, Sendable {
        /// The WAL file had more frames than ``WALPolicy/maximumSize`` allows.
        case size
        /// Frames had been waiting for ``WALPolicy/maximumAge``.
        case age
        /// The read has ended that had held back the checkpoint before.
        case readEnded
        /// Somebody asked: nothing was copied.
        case request
    }

    /// Why there is a report.
    public let trigger: Trigger

    /// How many frames (of one page each) the WAL file has.
    public let frameCount: Int

    /// How many of the frames are in the database file.
    public let checkpointedFrameCount: Int

    /// The bytes of the WAL file.
    public let fileSize: Int

    /// How long the writer was kept from its next access.
    public let duration: Duration

    /// Whether the WAL file was cut to nothing.
    public let isTruncated: Bool

    /// The readers that held the checkpoint back, the reader of the oldest state first. Empty when none was in the way.
    public let readers: [WALReader]

    /// The error of a checkpoint that failed: `SQLITE_BUSY` when another connection was running one, or an error of the
    /// files. It is tried again when the file has grown, and when its frames have aged.
    public let error: DatabaseError?

    /// The read that held the checkpoint back longest.
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

/// Somebody who reads a state of the database that keeps the WAL file from being reused.
public struct WALReader: Hashable, Sendable {
    /// The name of the connection, as in `Database.description`; of other processes, and of connections that the pool
    /// does not know, what is known.
    public let name: String

    /// The process that reads.
    public let processID: Int32

    /// Since when the access goes on; nil when that is not known.
    public let since: Date?

    /// How long the access had been going on; nil when that is not known.
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
