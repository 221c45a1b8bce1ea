import AmalgamCore
import CAmalgam

extension FTS5Match {
    /// The rowid of the row.
    public var rowID: Int64 { api.pointee.xRowid(match) }

    /// The number of columns in the table.
    public var columnCount: Int { Int(api.pointee.xColumnCount(match)) }

    /// Returns the number of tokens in a column of the row.
    ///
    /// ```swift
    /// let titleLength = FTS5Function("titleLength") { match, arguments in try match.size(ofColumn: 0) }
    /// ```
    ///
    /// FTS5 stores this number. In a table with the option `columnsize=0`, this method tokenizes the text instead.
    ///
    /// - Throws: `SQLITE_ERROR` for a contentless table with `columnsize=0`; `SQLITE_RANGE` if there is no such column.
    public func size(ofColumn column: Int) throws -> Int {
        try checkColumn(column)
        return try size(CInt(column))
    }

    /// Returns the number of tokens in the row.
    ///
    /// - Throws: `SQLITE_ERROR` for a contentless table with `columnsize=0`.
    public func size() throws -> Int { try size(-1) }

    private func size(_ column: CInt) throws -> Int {
        var size: CInt = 0
        try check(api.pointee.xColumnSize(match, column, &size))
        if size < 0 { throw DatabaseError(message: "a contentless table with columnsize=0 knows no sizes of texts") }
        return Int(size)
    }

    /// Returns the text of a column of the row. In a contentless table, the text is empty.
    ///
    /// ```swift
    /// let firstWord = FTS5Function("firstWord") { match, arguments in
    ///     try match.text(ofColumn: 0).split(separator: " ").first.map(String.init)
    /// }
    /// ```
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such column.
    public func text(ofColumn column: Int) throws -> String {
        try withText(ofColumn: column) { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the locale of a column of the row, if any: <https://www.sqlite.org/fts5.html#the_locale_option>.
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such column.
    public func locale(ofColumn column: Int) throws -> String? {
        let locale = try localeBytes(ofColumn: column)
        return locale.isEmpty ? nil : String(decoding: locale, as: UTF8.self)
    }

    /// Calls a closure with the bytes of a column's text.
    func withText<Result>(
        ofColumn column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try checkColumn(column)
        var text: UnsafePointer<CChar>?
        var count: CInt = 0
        try check(api.pointee.xColumnText(match, CInt(column), &text, &count))
        return try body(UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(count)))
    }

    private func localeBytes(ofColumn column: Int) throws -> UnsafeRawBufferPointer {
        try checkColumn(column)
        var locale: UnsafePointer<CChar>?
        var count: CInt = 0
        try check(api.pointee.xColumnLocale(match, CInt(column), &locale, &count))
        return UnsafeRawBufferPointer(start: locale, count: locale == nil ? 0 : Int(count))
    }

    /// The byte ranges of the tokens of a column's text.
    ///
    /// - Parameter limit: The number of positions that the caller needs. The result may have no further ones.
    func tokenPlaces(ofColumn column: Int, limit: Int = .max) throws -> TokenPlaces {
        let locale = try localeBytes(ofColumn: column)
        let match = match
        return try withText(ofColumn: column) { text in
            var places = TokenPlaces()
            try withoutActuallyEscaping({ (token: RawToken) in
                if places.count % Self.positionsPerCheck == 0, amalgam_fts5_must_stop(match) != 0 {
                    throw DatabaseError(resultCode: .SQLITE_INTERRUPT)
                }
                if places.count > limit { throw TokenPlacesLimit() }
                places.append(token, at: try token.place(inTextOf: text.count))
            }) { body in
                let receiver = ClosureReceiver(body)
                let code = withExtendedLifetime(receiver) {
                    api.pointee.xTokenize_v2(
                        match, text.cText, CInt(text.count), locale.isEmpty ? nil : locale.cText,
                        CInt(locale.count), receiver.context, TokenReceiver.callback)
                }
                switch receiver.failure {
                case is TokenPlacesLimit: places.isComplete = false
                case let failure?: throw failure
                case nil: try check(code)
                }
            }
            return places
        }
    }

    /// Between two looks at the limits, this number of positions is read.
    private static var positionsPerCheck: Int { 1024 }
}

/// Ends the tokenization of a text whose further positions aren't needed.
private struct TokenPlacesLimit: Error {}
