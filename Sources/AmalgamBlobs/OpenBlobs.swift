internal import AmalgamCore

/// The blobs that a read has opened on a read-only connection. Those that are still open at the end of a read of a pool expire:
/// otherwise, the next read on the connection would see the snapshot of the blob.
final class OpenBlobs: DatabaseAttachment {
    static let key = AttachmentKey<OpenBlobs>()

    private struct OpenBlob {
        // Another thread may release the blob.
        weak var blob: DatabaseBlob?
    }

    private var blobs: [OpenBlob] = []

    func add(_ blob: DatabaseBlob) { blobs.append(OpenBlob(blob: blob)) }

    func readDidEnd() {
        for open in blobs { open.blob?.expire() }
    }

    func accessDidEnd() { blobs = [] }
}
