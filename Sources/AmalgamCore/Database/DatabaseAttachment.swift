private import Synchronization

/// What a feature keeps on a connection.
///
/// ```swift
/// final class SearchState: DatabaseAttachment {
///     static let key = AttachmentKey<SearchState>()
///     var searches: [String: Int] = [:]
///     func schemaDidChange() { searches = [:] }
/// }
///
/// db.attachment(SearchState.key, orInsert: SearchState()).searches["ocean", default: 0] += 1
/// ```
///
/// It is used by the thread that has access to the connection, and released when the connection closes.
package protocol DatabaseAttachment: AnyObject {
    /// The schema of the connection has changed. It is called inside of SQLite, too: the connection must not be used.
    func schemaDidChange()

    /// An access ends.
    func accessDidEnd()

    /// The connection is closed.
    func connectionDidClose()
}

extension DatabaseAttachment {
    package func schemaDidChange() {}
    package func accessDidEnd() {}
    package func connectionDidClose() {}
}

/// The place of the attachments of one type: the same on each connection. It is a constant of the process.
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
    /// What a feature keeps on the connection; nil before it has kept anything.
    package func attachment<Attachment>(_ key: AttachmentKey<Attachment>) -> Attachment? {
        // A key has its own index: no other type is there.
        attachments[key.index].map { unsafeDowncast($0, to: Attachment.self) }
    }

    /// What a feature keeps on the connection, made at the first use.
    package func attachment<Attachment>(
        _ key: AttachmentKey<Attachment>, orInsert make: @autoclosure () -> Attachment
    ) -> Attachment {
        if let attachment = attachment(key) { return attachment }
        let attachment = make()
        attachments[key.index] = attachment
        return attachment
    }

    /// Tells the attachments of the end, and releases them.
    func closeAttachments() {
        let closed = attachments
        attachments = Attachments()
        closed.forEach { $0.connectionDidClose() }
    }
}
