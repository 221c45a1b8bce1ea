import Foundation

/// The form with which a document is edited.
package struct EditForm {
    package let edit: DocumentEdit

    /// Reads the form. Browsers send CR LF at the end of a line, which becomes LF.
    ///
    /// - Throws: ``InvalidInput`` if a value doesn't have the chosen type.
    package init(_ fields: FormFields) throws {
        guard let version = fields["version"].flatMap({ Int($0) }) else {
            throw InvalidInput(.unprocessable, "The form has no version.")
        }
        edit = DocumentEdit(
            version: version, title: Self.chosen("title", fields), body: Self.chosen("body", fields),
            metadata: fields["choose.metadata"] == "theirs" ? nil : try Self.metadata(fields),
            actor: Self.text("actor", fields), reason: Self.text("reason", fields))
    }

    /// The new value of a column; nil if the editor has chosen the value of the other editor.
    private static func chosen(_ column: String, _ fields: FormFields) -> String? {
        fields["choose.\(column)"] == "theirs" ? nil : fields[column]?.replacing("\r\n", with: "\n")
    }

    private static func text(_ name: String, _ fields: FormFields) -> String? {
        let text = fields[name]?.trimmingCharacters(in: .whitespaces).prefix(scalars: 200) ?? ""
        return text.isEmpty ? nil : text
    }

    /// The changed members of the metadata. A page about a conflict sends the edits themselves.
    private static func metadata(_ fields: FormFields) throws -> [MetadataEdit] {
        if let json = fields["metadata.edits"] {
            guard let edits = try? JSONDecoder().decode([MetadataEdit].self, from: Data(json.utf8)) else {
                throw InvalidInput(.unprocessable, "The metadata isn't valid.")
            }
            return edits
        }
        return try fields.pairs.compactMap { name, key in
            name == "member" ? try edit(key, fields) : nil
        } + added(fields)
    }

    private static func edit(_ key: String, _ fields: FormFields) throws -> MetadataEdit? {
        let (old, kind) = (fields["old.\(key)"] ?? "", fields["kind.\(key)"] ?? "")
        guard let text = fields["new.\(key)"] else { return nil }
        if text.isEmpty && !old.isEmpty { return MetadataEdit(operation: .remove, path: [key]) }
        return text == old ? nil : MetadataEdit(operation: .set, path: [key], value: try value(text, kind, key))
    }

    private static func added(_ fields: FormFields) throws -> [MetadataEdit] {
        guard let key = fields["added.key"], !key.isEmpty else { return [] }
        let value = try value(fields["added.value"] ?? "", fields["added.kind"] ?? "", key)
        return [MetadataEdit(operation: .set, path: [key], value: value)]
    }

    private static func value(_ text: String, _ kind: String, _ key: String) throws -> JSONValue {
        if kind == JSONValue.Kind.text.rawValue { return .string(text) }
        guard let value = JSONValue(json: text), value.kind.rawValue == kind || kind == JSONValue.Kind.json.rawValue
        else { throw InvalidInput(.unprocessable, "The value of \(key) isn't a \(kind).") }
        return value
    }
}
