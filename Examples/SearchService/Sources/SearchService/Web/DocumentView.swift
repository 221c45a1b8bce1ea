import Amalgam
import Foundation
import ServiceInputs

/// A member of the metadata.
struct MemberView {
    var key: String
    var value: String
    var kind: String

    static func list(_ metadata: String) -> [MemberView] {
        guard case .object(let members)? = JSONValue(json: metadata) else { return [] }
        return members.sorted { $0.key < $1.key }.map { key, value in
            MemberView(key: key, value: value.text, kind: value.kind.rawValue)
        }
    }
}

/// What the page of a document shows.
struct DocumentView {
    var document: Document
    var date: String
    var members: [MemberView]
    /// The moment that is shown; nil for the current state.
    var moment: String?
    var undoName: String?
    var redoName: String?

    init(_ document: Document, moment: Date?, history: UndoHistory?) {
        self.document = document
        date = document.modified.formatted(.iso8601)
        members = MemberView.list(document.metadata)
        self.moment = moment.map(Moment.text)
        if let history {
            undoName = history.canUndo ? history.undoActionName ?? "the last edit" : nil
            redoName = history.canRedo ? history.redoActionName ?? "the last edit" : nil
        }
    }
}

/// What the form of an edit shows.
struct EditView {
    var document: Document
    var version: Int
    var members: [MemberView]
    var kinds: [String]
    var actor: String

    init(_ current: VersionedDocument, actor: String) {
        document = current.document
        version = current.version
        members = MemberView.list(document.metadata)
        kinds = JSONValue.Kind.allCases.map(\.rawValue)
        self.actor = actor
    }
}

/// What the page about a conflict shows: both versions of each column that differs.
struct ConflictView {
    struct Column {
        var name: String
        var mine: String
        var theirs: String
        let isLong: Bool
        /// Metadata is changed by edits of its members, so its text isn't edited here.
        let isMetadata: Bool

        init(name: String, mine: String, theirs: String) {
            (self.name, self.mine, self.theirs) = (name, mine, theirs)
            isLong = name == "body"
            isMetadata = name == "metadata"
        }
    }

    var id: Int64
    var title: String
    var version: Int
    var columns: [Column]
    /// The edits of the metadata, as JSON.
    var edits: String
    var actor: String
    var reason: String

    init(_ edit: DocumentEdit, _ current: VersionedDocument, metadata: String) {
        let document = current.document
        id = document.id
        title = document.title
        version = current.version
        columns = [
            Column(name: "title", mine: edit.title ?? document.title, theirs: document.title),
            Column(name: "body", mine: edit.body ?? document.body, theirs: document.body),
            Column(name: "metadata", mine: metadata, theirs: document.metadata),
        ].filter { $0.mine != $0.theirs }
        edits =
            (try? JSONEncoder.service.encode(edit.metadata ?? [])).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        actor = edit.actor ?? ""
        reason = edit.reason ?? ""
    }
}
