public import AmalgamCore
import AmalgamQuery

// JSON texts that come from people: checked, and brought into standard form, by SQLite itself.

extension Database {
    /// Checks that a text is JSON, or JSON5: JSON with comments, trailing commas, keys without quotes, and the like.
    ///
    /// ```swift
    /// try db.validateJSON("{name: 'Anna', /* why not */}")
    /// // SELECT json_error_position('{name: ''Anna'', /* why not */}')
    /// ```
    ///
    /// - throws: a ``JSONSyntaxError``, which shows the place. See <https://sqlite.org/json1.html#jerr>.
    public func validateJSON(_ json: String) throws {
        // The text ends at a NUL character, for SQLite.
        let end = json.utf8.firstIndex(of: 0)
        let text = end.map { String(json[..<$0]) } ?? json
        let position = try errorPosition(text)
        if position == 1, let (end, rest) = JSONValueScanner.valueWithRest(text) {
            let value = String(decoding: text.utf8.prefix(end), as: UTF8.self)
            if try errorPosition(value) == 0 { throw JSONSyntaxError(json, utf8Offset: rest) }
        }
        if position > 0 { throw JSONSyntaxError(json, position: position) }
        if end != nil { throw JSONSyntaxError(json, utf8Offset: text.utf8.count) }
    }

    /// The Unicode scalar of a text where it is malformed, from 1 on, or 0.
    private func errorPosition(_ text: String) throws -> Int {
        try Int.fetchOne(self, sql: "SELECT json_error_position(?)", arguments: [text]) ?? 0
    }

    /// JSON text in standard form, of JSON or JSON5, without blanks.
    ///
    /// ```swift
    /// try db.canonicalJSON("{name: 'Anna', score: 0x10, /* why not */}")
    /// // {"name":"Anna","score":16}
    /// ```
    ///
    /// Keys keep their order. See <https://sqlite.org/json1.html#json5>.
    ///
    /// - throws: a ``JSONSyntaxError``, which shows the place.
    public func canonicalJSON(_ json: String) throws -> String {
        try validateJSON(json)
        return try String.fetchOne(self, sql: "SELECT json(?)", arguments: [json]) ?? "null"
    }

    /// JSON text on many lines, of JSON or JSON5.
    ///
    /// ```swift
    /// try db.prettyJSON("{name: 'Anna', tags: []}", indentation: "  ")
    /// // {
    /// //   "name": "Anna",
    /// //   "tags": []
    /// // }
    /// ```
    ///
    /// - Parameter indentation: what each level begins with.
    /// - throws: a ``JSONSyntaxError``, which shows the place. See <https://sqlite.org/json1.html#jpretty>.
    public func prettyJSON(_ json: String, indentation: String = "    ") throws -> String {
        try validateJSON(json)
        let arguments: StatementArguments = [json, indentation]
        return try String.fetchOne(self, sql: "SELECT json_pretty(?, ?)", arguments: arguments) ?? "null"
    }
}
