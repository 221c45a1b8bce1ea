import CAmalgam

/// The observation state of one blob handle: the observers of its writes.
package final class BlobObservation {
    /// The kind of change that observers were asked about; nil before the first observed write.
    fileprivate var eventKind: DatabaseEventKind?
    fileprivate var listeners: StatementListeners?

    /// Creates the state of a new handle.
    package init() {}
}

extension Database {
    /// Performs a write through a blob handle, notifies observers, and passes the changed row to the
    /// ``RowChangeRecorder``.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to write, valid during the call.
    ///   - offset: the position in the blob, in bytes.
    ///   - rowID: the row of the blob.
    ///   - observation: the observers of the writes through this handle.
    ///   - kind: the kind of change that the write makes.
    ///   - body: performs the write.
    /// - Throws: the error of `kind`, of `body`, or of the recorder.
    package func observingWrite(
        of bytes: UnsafeRawBufferPointer, at offset: Int, rowID: Int64, _ observation: BlobObservation,
        _ kind: @autoclosure () throws -> DatabaseEventKind, _ body: () throws -> Void
    ) throws {
        guard self.observation.isActive else { return try body() }
        try self.observation.broker.notifyPendingEnd()
        let kind = try observation.eventKind ?? kind()
        observation.eventKind = kind
        let write = BlobWrite(
            identity: BlobWrite.Identity(blob: ObjectIdentifier(observation), rowID: rowID), offset: offset,
            bytes: bytes, encoding: textEncoding)
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
