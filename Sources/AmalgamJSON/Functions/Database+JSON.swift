public import AmalgamCore

// SQLite functions that return JSON text: <https://sqlite.org/json1.html>.

extension Database {
    /// Returns an expression that converts JSON, JSON5 or JSONB to minified JSON text: `JSON(value)`.
    ///
    /// ```swift
    /// Player.select { Database.json($0.info) }   // SELECT JSON("info") FROM "player"
    /// ```
    ///
    /// Running the statement throws `malformed JSON` if the value isn't JSON. See
    /// <https://sqlite.org/json1.html#jmini>.
    public static func json(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON", value.node)
    }

    /// Returns an expression for a JSON array of values: `JSON_ARRAY(1, 2, '3')`.
    ///
    /// TEXT values become JSON strings. JSON expressions are inserted as JSON:
    ///
    /// ```swift
    /// Database.jsonArray([JSONColumn("a"), Column("a")])
    /// // JSON_ARRAY(JSONB("a"), "a")
    /// ```
    public static func jsonArray<Values: Collection>(_ values: Values) -> SQLExpression
    where Values.Element: SQLExpressible {
        jsonArray(values.map { $0 as any SQLExpressible })
    }

    /// Returns an expression for a JSON array of values: `JSON_ARRAY(1, 2, '3')`.
    public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        SQLExpression("JSON_ARRAY", JSONForm.text.parts(values))
    }

    /// Returns an expression for the number of elements of a JSON array: `JSON_ARRAY_LENGTH(value)`. The number is 0
    /// for other JSON values.
    ///
    /// ```swift
    /// Player.filter { Database.jsonArrayLength($0.tags) > 2 }
    /// // SELECT * FROM "player" WHERE JSON_ARRAY_LENGTH("tags") > 2
    /// ```
    public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_ARRAY_LENGTH", value.node)
    }

    /// Returns an expression for the number of elements of the array at a path: `JSON_ARRAY_LENGTH(value, '$.tags')`.
    /// The result is NULL if the path doesn't exist.
    ///
    /// ```swift
    /// Player.filter { Database.jsonArrayLength($0.info, atPath: "$.tags") > 2 }
    /// // SELECT * FROM "player" WHERE JSON_ARRAY_LENGTH("info", '$.tags') > 2
    /// ```
    public static func jsonArrayLength(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression
    {
        SQLExpression("JSON_ARRAY_LENGTH", value.node, PathNode(path.node))
    }

    /// Returns an expression for the position of the first syntax error in JSON or JSON5 text:
    /// `JSON_ERROR_POSITION(value)`. The position of the first character is 1. For well-formed text, the result is 0.
    ///
    /// ```swift
    /// Player.filter { Database.jsonErrorPosition($0.info) > 0 }
    /// // SELECT * FROM "player" WHERE JSON_ERROR_POSITION("info") > 0
    /// ```
    ///
    /// To find the position in a Swift string, call ``Database/validateJSON(_:)``. See
    /// <https://sqlite.org/json1.html#jerr>.
    public static func jsonErrorPosition(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_ERROR_POSITION", value.node)
    }

    /// Returns an expression for the value at a path: `JSON_EXTRACT(value, '$.a')`. The result is an SQL value. Arrays
    /// and objects are returned as JSON text.
    ///
    /// ```swift
    /// Player.select { Database.jsonExtract($0.info, atPath: "$.score") }
    /// // SELECT JSON_EXTRACT("info", '$.score') FROM "player"
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jex>.
    public static func jsonExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        JSONForm.text.extraction(value, atPath: path)
    }

    /// Returns an expression for a JSON array of the values at several paths: `JSON_EXTRACT(value, '$.a', '$.b')`.
    ///
    /// ```swift
    /// Player.select { Database.jsonExtract($0.info, atPaths: ["$.score", "$.level"]) }
    /// // SELECT JSON_EXTRACT("info", '$.score', '$.level') FROM "player"
    /// ```
    public static func jsonExtract<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.text.paths("EXTRACT", value, paths)
    }

    /// Returns an expression for JSON with values inserted at paths that don't exist: `JSON_INSERT(value, '$[#]', 99)`.
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

    /// Returns an expression for JSON with values replaced at paths that exist: `JSON_REPLACE(value, '$.a', 99)`.
    ///
    /// ```swift
    /// Database.jsonReplace(Column("info"), ["$.score": 10])
    /// // JSON_REPLACE("info", '$.score', 10)
    /// ```
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.text.change("REPLACE", value, assignments)
    }

    /// Returns an expression for JSON with values set at paths, whether or not they exist:
    /// `JSON_SET(value, '$.a', 99)`.
    ///
    /// ```swift
    /// Database.jsonSet(Column("info"), ["$.score": 10])
    /// // JSON_SET("info", '$.score', 10)
    /// ```
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.text.change("SET", value, assignments)
    }

    /// Returns an expression for JSON with elements inserted into arrays, before the elements at the paths:
    /// `JSON_ARRAY_INSERT(value, '$[0]', 99)`.
    ///
    /// ```swift
    /// Database.jsonArrayInsert(Column("tags"), ["$[0]": "first"])
    /// // JSON_ARRAY_INSERT("tags", '$[0]', 'first')
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jarrayins>.
    public static func jsonArrayInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.text.change("ARRAY_INSERT", value, assignments)
    }

    /// Returns an expression for a JSON object of keys and values: `JSON_OBJECT('name', "name")`.
    ///
    /// ```swift
    /// Player.select { Database.jsonObject(["id": $0.id, "name": $0.name]) }
    /// // SELECT JSON_OBJECT('id', "id", 'name', "name") FROM "player"
    /// ```
    ///
    /// The keys of a dictionary are sorted. To define a different order, pass `KeyValuePairs` or an array.
    public static func jsonObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        SQLExpression("JSON_OBJECT", JSONForm.text.pairs(elements) { $0.databaseValue })
    }

    /// Returns an expression for JSON merged with a patch: `JSON_PATCH(value, '{"a":1}')`. A null in the patch removes
    /// the key, by RFC 7396.
    ///
    /// ```swift
    /// Database.jsonPatch(Column("info"), with: #"{"score":10,"draft":null}"#)
    /// // JSON_PATCH("info", '{"score":10,"draft":null}')
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jpatch>.
    public static func jsonPatch(_ value: some SQLExpressible, with patch: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_PATCH", value.node, patch.node)
    }

    /// Returns an expression for JSON without the value at a path: `JSON_REMOVE(value, '$.a')`.
    ///
    /// ```swift
    /// Database.jsonRemove(Column("info"), atPath: "$.draft")
    /// // JSON_REMOVE("info", '$.draft')
    /// ```
    public static func jsonRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_REMOVE", value.node, PathNode(path.node))
    }

    /// Returns an expression for JSON without the values at several paths, which are removed in order:
    /// `JSON_REMOVE(value, '$.a', '$.b')`.
    public static func jsonRemove<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.text.paths("REMOVE", value, paths)
    }

    /// Returns an expression for the type of a JSON value: `JSON_TYPE(value)`. The type is `null`, `true`, `false`,
    /// `integer`, `real`, `text`, `array` or `object`.
    ///
    /// ```swift
    /// Player.filter { Database.jsonType($0.info) == JSONType.object }
    /// // SELECT * FROM "player" WHERE JSON_TYPE("info") = 'object'
    /// ```
    ///
    /// Decode the type as a ``JSONType``. See <https://sqlite.org/json1.html#jtype>.
    public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_TYPE", value.node)
    }

    /// Returns an expression for the type of the value at a path: `JSON_TYPE(value, '$.a')`. The result is NULL if the
    /// path doesn't exist.
    public static func jsonType(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_TYPE", value.node, PathNode(path.node))
    }

    /// Returns a condition that is true if a value is JSON text: `JSON_VALID(value)`.
    ///
    /// ```swift
    /// Player.filter { Database.jsonIsValid($0.info) }   // SELECT * FROM "player" WHERE JSON_VALID("info")
    /// ```
    public static func jsonIsValid(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSON_VALID", value.node)
    }

    /// Returns a condition that is true if a value is JSON in one of the given formats: `JSON_VALID(value, 6)`.
    ///
    /// ```swift
    /// Database.jsonIsValid(Column("info"), options: [.json5, .jsonb])
    /// // JSON_VALID("info", 10)
    /// ```
    public static func jsonIsValid(_ value: some SQLExpressible, options: JSONValidationOptions) -> SQLExpression {
        SQLExpression("JSON_VALID", value.node, options.rawValue.databaseValue)
    }

    /// Returns an expression for an SQL value converted to JSON text: `JSON_QUOTE(value)`. A string becomes a quoted
    /// JSON string. A JSON expression, such as a ``JSONColumn``, isn't quoted: the result is its JSON.
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

    /// Returns an expression for JSON text with line breaks and indentation: `JSON_PRETTY(value)`.
    ///
    /// ```swift
    /// Database.jsonPretty(Column("info"), indentation: "  ")   // JSON_PRETTY("info", '  ')
    /// ```
    ///
    /// - Parameter indentation: The indentation of each level. If nil, levels are indented by four spaces.
    ///
    /// See <https://sqlite.org/json1.html#jpretty>.
    public static func jsonPretty(_ value: some SQLExpressible, indentation: String? = nil) -> SQLExpression {
        SQLExpression("JSON_PRETTY", [value.node] + (indentation.map { [$0.databaseValue] } ?? []))
    }
}

// MARK: - Aggregates

// Aggregate functions: <https://sqlite.org/json1.html#jgrouparray>.

extension Database {
    /// Returns an aggregate expression for a JSON array of the values of a group: `JSON_GROUP_ARRAY("name")`.
    ///
    /// ```swift
    /// Player
    ///     .select { [$0.teamId, Database.jsonGroupArray($0.name, orderBy: $0.name, filter: $0.score > 0)] }
    ///     .group(\.teamId)
    /// // SELECT "teamId", JSON_GROUP_ARRAY("name" ORDER BY "name") FILTER (WHERE "score" > 0)
    /// // FROM "player" GROUP BY "teamId"
    /// ```
    ///
    /// NULL becomes null. JSON expressions are inserted as JSON.
    ///
    /// - Parameters:
    ///   - value: The elements.
    ///   - ordering: The order of the elements. If nil, the order is undefined.
    ///   - filter: A condition on the rows: `FILTER (WHERE …)`.
    public static func jsonGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLCondition)? = nil
    ) -> SQLExpression {
        .aggregate("JSON_GROUP_ARRAY", [JSONForm.text.part(value)], orderBy: ordering, filter: filter)
    }

    /// Returns an aggregate expression for a JSON object of the keys and values of a group:
    /// `JSON_GROUP_OBJECT("name", "score")`.
    ///
    /// ```swift
    /// Player.select { Database.jsonGroupObject(key: $0.name, value: $0.score) }
    /// // SELECT JSON_GROUP_OBJECT("name", "score") FROM "player"
    /// ```
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLCondition)? = nil
    ) -> SQLExpression {
        .aggregate("JSON_GROUP_OBJECT", [key.node, JSONForm.text.part(value)], filter: filter)
    }
}

// MARK: - Literals

// Overloads for array and dictionary literals whose values have several types, such as `[Column("id"), 1]`. If the
// parameter is a generic collection, the compiler infers no common type for the values of such a literal.

extension Database {
    /// Returns an expression for a JSON array of values of several types: `JSON_ARRAY("id", JSONB("info"))`.
    public static func jsonArray(_ values: [any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSON_ARRAY", JSONForm.text.parts(values))
    }

    /// Returns an expression for a JSON object of values of several types, with sorted keys:
    /// `JSON_OBJECT('id', "id", 'name', "name")`.
    public static func jsonObject(_ elements: [String: any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSON_OBJECT", JSONForm.text.pairs(elements) { $0.databaseValue })
    }

    /// Returns an expression for JSON with values inserted at paths that don't exist: `JSON_INSERT(value, '$.a', 99)`.
    public static func jsonInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("INSERT", value, assignments)
    }

    /// Returns an expression for JSON with values replaced at paths that exist: `JSON_REPLACE(value, '$.a', 99)`.
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("REPLACE", value, assignments)
    }

    /// Returns an expression for JSON with values set at paths, whether or not they exist:
    /// `JSON_SET(value, '$.a', 99)`.
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("SET", value, assignments)
    }

    /// Returns an expression for JSON with elements inserted into arrays, before the elements at the paths:
    /// `JSON_ARRAY_INSERT(value, '$[0]', 99)`.
    public static func jsonArrayInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.text.change("ARRAY_INSERT", value, assignments)
    }
}
