private import Synchronization

/// The state that a feature stores on a connection.
///
/// ```
/// final class SearchState: DatabaseAttachment {
///     static let key = AttachmentKey<SearchState>()
///     var searches: [String: Int] = [:]
///     func schemaDidChange() { searches = [:] }
/// }
///
/// db.attachment(SearchState.key, orInsert: SearchState()).searches["ocean", default: 0] += 1
/// ```
///
/// Only the thread that has access to the connection uses the attachment. Closing the connection releases it.
package protocol DatabaseAttachment: AnyObject {
    /// Called after a change of the schema, possibly inside of a statement. The method must not use the connection.
    func schemaDidChange()

    /// Called at the end of a read of a pool, if an object of SQLite still reads: it would keep the read mark of its
    /// snapshot, and the next read of the connection would see an old state.
    func readDidEnd()

    /// Called at the end of a database access.
    func accessDidEnd()

    /// Called after the connection is closed.
    func connectionDidClose()
}

extension DatabaseAttachment {
    package func schemaDidChange() {}
    package func readDidEnd() {}
    package func accessDidEnd() {}
    package func connectionDidClose() {}
}

/// Identifies the attachments of one type on all connections. Create one key per type, in a static constant.
package struct AttachmentKey<Attachment: DatabaseAttachment>: Sendable {
    fileprivate let index: Int

    package init() { index = attachmentKeyCount.wrappingAdd(1, ordering: .relaxed).oldValue }
}

private let attachmentKeyCount = Atomic<Int>(0)

/// The attachments of one connection, by the indexes of their keys.
struct Attachments {
    private var slots: [(any DatabaseAttachment)?] = []

    fileprivate subscript(index: Int) -> (any DatabaseAttachment)? {
        get { index < slots.count ? slots[index] : nil }
        set {
            while slots.count <= index { slots.append(nil) }
            slots[index] = newValue
        }
    }

    func forEach(_ body: (any DatabaseAttachment) -> Void) {
        for case let attachment? in slots { body(attachment) }
    }
}

extension Database {
    /// Returns the attachment of a key, or nil if there is none.
    package func attachment<Attachment>(_ key: AttachmentKey<Attachment>) -> Attachment? {
        guard let attachment = attachments[key.index] else { return nil }
        // Each key has its own index, so the attachment has this type.
        return unsafeDowncast(attachment, to: Attachment.self)
    }

    /// Returns the attachment of a key, and creates it if there is none.
    package func attachment<Attachment>(
        _ key: AttachmentKey<Attachment>, orInsert make: @autoclosure () -> Attachment
    ) -> Attachment {
        if let attachment = attachment(key) { return attachment }
        let attachment = make()
        attachments[key.index] = attachment
        return attachment
    }

    /// Notifies the attachments of the close, and releases them.
    func closeAttachments() {
        let closed = attachments
        attachments = Attachments()
        closed.forEach { $0.connectionDidClose() }
    }
}
