public import AmalgamCore

// The functions of SQLite that read JSON, and return JSON text: <https://sqlite.org/json1.html>.

extension Database {
    /// JSON text, without blanks, and in standard form where it was JSON5: `JSON(value)`.
    ///
    /// Running the statement throws `malformed JSON` for a value that is not. See <https://sqlite.org/json1.html#jmini>.
    public static func json(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON", value.node)
    }

    /// A JSON array of values: `JSON_ARRAY(1, 2, '3')`.
    ///
    /// Strings are strings of JSON. What is JSON becomes a part of the array:
    ///
    /// ```swift
    /// Database.jsonArray([JSONColumn("a"), Column("a")])
    /// // JSON_ARRAY(JSONB("a"), "a")
    /// ```
    public static func jsonArray<Values: Collection>(_ values: Values) -> SQLExpression
    where Values.Element: SQLExpressible {
        jsonArray(values.map { $0 as any SQLExpressible })
    }

    /// A JSON array of values: `JSON_ARRAY(1, 2, '3')`.
    public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        SQLExpression("JSON_ARRAY", JSONForm.text.parts(values))
    }

    /// The number of elements of a JSON array: `JSON_ARRAY_LENGTH(value)`. 0 for other JSON.
    public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_ARRAY_LENGTH", value.node)
    }

    /// The number of elements of the array at a path: `JSON_ARRAY_LENGTH(value, '$.tags')`. NULL where nothing is.
    public static func jsonArrayLength(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression
    {
        SQLExpression("JSON_ARRAY_LENGTH", value.node, PathNode(path.node))
    }

    /// Where JSON or JSON5 text is malformed: `JSON_ERROR_POSITION(value)`. A character from 1 on; 0 when it is not.
    ///
    /// For the position in a text of Swift, see ``Database/validateJSON(_:)``.
    /// See <https://sqlite.org/json1.html#jerr>.
    public static func jsonErrorPosition(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_ERROR_POSITION", value.node)
    }

    /// What JSON has at a path: `JSON_EXTRACT(value, '$.a')`. An SQL value, or JSON for arrays and objects.
    ///
    /// See <https://sqlite.org/json1.html#jex>.
    public static func jsonExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        JSONForm.text.extraction(value, atPath: path)
    }

    /// An array of what JSON has at some paths: `JSON_EXTRACT(value, '$.a', '$.b')`.
    public static func jsonExtract<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.text.paths("EXTRACT", value, paths)
    }

    /// JSON with more values, at paths where nothing is: `JSON_INSERT(value, '$[#]', 99)`.
    ///
    /// ```swift
    /// Database.jsonInsert(Column("tags"), ["$[#]": "new"])
    /// // JSON_INSERT("tags", '$[#]', 'new')
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jins>.
    public static func jsonInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.text.change("INSERT", value, assignments)
    }

    /// JSON with other values, at paths where something is: `JSON_REPLACE(value, '$.a', 99)`.
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.text.change("REPLACE", value, assignments)
    }

    /// JSON with values at paths, whether something is there or not: `JSON_SET(value, '$.a', 99)`.
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.text.change("SET", value, assignments)
    }

    /// JSON with more elements of arrays, before those at the paths: `JSON_ARRAY_INSERT(value, '$[0]', 99)`.
    ///
    /// See <https://sqlite.org/json1.html#jarrayins>.
    public static func jsonArrayInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.text.change("ARRAY_INSERT", value, assignments)
    }

    /// A JSON object of keys and values: `JSON_OBJECT('name', "name")`.
    ///
    /// A dictionary has no order; its keys are sorted. For another one, pass `KeyValuePairs`, or an array.
    public static func jsonObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        SQLExpression("JSON_OBJECT", JSONForm.text.pairs(elements) { $0.databaseValue })
    }

    /// JSON merged with other JSON: `JSON_PATCH(value, '{"a":1}')`. A null removes a key: RFC 7396.
    ///
    /// See <https://sqlite.org/json1.html#jpatch>.
    public static func jsonPatch(_ value: some SQLExpressible, with patch: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_PATCH", value.node, patch.node)
    }

    /// JSON without what is at a path: `JSON_REMOVE(value, '$.a')`.
    public static func jsonRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_REMOVE", value.node, PathNode(path.node))
    }

    /// JSON without what is at some paths, removed one after the other: `JSON_REMOVE(value, '$.a', '$.b')`.
    public static func jsonRemove<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.text.paths("REMOVE", value, paths)
    }

    /// The type of JSON: `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`. `JSON_TYPE(value)`
    ///
    /// See ``JSONType`` for the same as a Swift value, and <https://sqlite.org/json1.html#jtype>.
    public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_TYPE", value.node)
    }

    /// The type of what JSON has at a path: `JSON_TYPE(value, '$.a')`. NULL where nothing is.
    public static func jsonType(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_TYPE", value.node, PathNode(path.node))
    }

    /// Whether a value is JSON text: `JSON_VALID(value)`.
    public static func jsonIsValid(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_VALID", value.node)
    }

    /// Whether a value is JSON of some kind: `JSON_VALID(value, 6)`.
    ///
    /// ```swift
    /// Database.jsonIsValid(Column("info"), options: [.json5, .jsonb])
    /// // JSON_VALID("info", 10)
    /// ```
    public static func jsonIsValid(_ value: some SQLExpressible, options: JSONValidationOptions) -> SQLExpression {
        SQLExpression("JSON_VALID", value.node, options.rawValue.databaseValue)
    }

    /// An SQL value as JSON: `JSON_QUOTE(value)`. JSON stays what it is.
    ///
    /// ```swift
    /// Database.jsonQuote(Column("title"))      // JSON_QUOTE("title")
    /// Database.jsonQuote(JSONColumn("info"))   // JSON_QUOTE(JSONB("info"))
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jquote>.
    public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_QUOTE", JSONForm.text.part(value))
    }

    /// JSON text on many lines: `JSON_PRETTY(value)`.
    ///
    /// - Parameter indentation: what each level begins with. Four blanks, when nil.
    ///
    /// See <https://sqlite.org/json1.html#jpretty>.
    public static func jsonPretty(_ value: some SQLExpressible, indentation: String? = nil) -> SQLExpression {
        SQLExpression("JSON_PRETTY", [value.node] + (indentation.map { [$0.databaseValue] } ?? []))
    }
}

// MARK: - Aggregates

// The aggregate functions: <https://sqlite.org/json1.html#jgrouparray>.

extension Database {
    /// A JSON array of the values of a group: `JSON_GROUP_ARRAY("name")`.
    ///
    /// ```swift
    /// Player
    ///     .select { [$0.teamId, Database.jsonGroupArray($0.name, orderBy: $0.name, filter: $0.score > 0)] }
    ///     .group(\.teamId)
    /// // SELECT "teamId", JSON_GROUP_ARRAY("name" ORDER BY "name") FILTER (WHERE "score" > 0)
    /// // FROM "player" GROUP BY "teamId"
    /// ```
    ///
    /// NULL becomes null. JSON is a part of the array.
    ///
    /// - Parameters:
    ///   - value: the elements.
    ///   - ordering: their order. Without one, they come in any.
    ///   - filter: a condition on the rows.
    public static func jsonGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSON_GROUP_ARRAY", [JSONForm.text.part(value)], orderBy: ordering, filter: filter)
    }

    /// A JSON object of the keys and values of a group: `JSON_GROUP_OBJECT("name", "score")`.
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSON_GROUP_OBJECT", [key.node, JSONForm.text.part(value)], filter: filter)
    }
}

// MARK: - Literals

// Literals of elements of several types. The compiler does not find a common type for them by itself, where a method wants
// any collection.

extension Database {
    /// A JSON array of values of several types: `JSON_ARRAY("id", JSONB("info"))`.
    public static func jsonArray(_ values: [any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSON_ARRAY", JSONForm.text.parts(values))
    }

    /// A JSON object of keys, which are sorted, and values of several types: `JSON_OBJECT('id', "id", 'name', "name")`.
    public static func jsonObject(_ elements: [String: any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSON_OBJECT", JSONForm.text.pairs(elements) { $0.databaseValue })
    }

    /// JSON with more values, at paths where nothing is: `JSON_INSERT(value, '$.a', 99)`.
    public static func jsonInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("INSERT", value, assignments)
    }

    /// JSON with other values, at paths where something is: `JSON_REPLACE(value, '$.a', 99)`.
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("REPLACE", value, assignments)
    }

    /// JSON with values at paths, whether something is there or not: `JSON_SET(value, '$.a', 99)`.
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("SET", value, assignments)
    }

    /// JSON with more elements of arrays, before those at the paths: `JSON_ARRAY_INSERT(value, '$.a', 99)`.
    public static func jsonArrayInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("ARRAY_INSERT", value, assignments)
    }
}
