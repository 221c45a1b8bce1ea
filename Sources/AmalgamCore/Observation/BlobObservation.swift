import CAmalgam

/// What is known of the observers of the writes through one blob handle.
package final class BlobObservation {
    /// What observers are asked about, once there were some.
    fileprivate var eventKind: DatabaseEventKind?
    fileprivate var listeners: StatementListeners?

    /// Makes the observation of a new handle.
    package init() {}
}

extension Database {
    /// Runs a write through a blob handle. Observers are notified of it, and the recorder records the row.
    ///
    /// - Parameters:
    ///   - bytes: what is written, valid during the call.
    ///   - rowID: the row of the blob.
    ///   - observation: that of the handle.
    ///   - kind: what the write does.
    /// - Throws: the error of the closures, or of the recorder.
    package func observingWrite(
        of bytes: UnsafeRawBufferPointer, at offset: Int, rowID: Int64, _ observation: BlobObservation,
        _ kind: @autoclosure () throws -> DatabaseEventKind, _ body: () throws -> Void
    ) throws {
        guard self.observation.isActive else { return try body() }
        let kind = try observation.eventKind ?? kind()
        observation.eventKind = kind
        let write = BlobWrite(
            identity: BlobWrite.Identity(blob: ObjectIdentifier(observation), rowID: rowID), offset: offset,
            bytes: bytes, encoding: amalgam_encoding(sqliteConnection))
        observation.listeners = self.observation.broker.beginRun(of: write, kind, observation.listeners)
        defer { self.observation.broker.endRun() }
        try recordingWrite(of: bytes, at: offset, body)
    }

    private func recordingWrite(of bytes: UnsafeRawBufferPointer, at offset: Int, _ body: () throws -> Void) throws {
        guard let run = rowRecorder?.beginRun(of: bytes, at: offset) else { return try body() }
        do {
            defer { run.recorder.endChanges(run) }
            try body()
        } catch {
            run.recorder.undo(run)
            throw error
        }
        try run.recorder.finish(run)
    }
}
