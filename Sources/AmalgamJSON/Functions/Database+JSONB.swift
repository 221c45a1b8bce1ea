public import AmalgamCore

// The functions of SQLite that return JSONB. Their arguments are what those of the others are: <https://sqlite.org/json1.html>.

extension Database {
    /// JSON in its binary form: `JSONB(value)`.
    ///
    /// Running the statement throws `malformed JSON` for a value that is not. See <https://sqlite.org/json1.html#jminib>.
    public static func jsonb(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSONB", value.node)
    }

    /// A JSONB array of values: `JSONB_ARRAY(1, 2, '3')`.
    ///
    /// Strings are strings of JSON. What is JSON becomes a part of the array:
    ///
    /// ```swift
    /// Database.jsonbArray([JSONColumn("a"), Column("a")])
    /// // JSONB_ARRAY(JSONB("a"), "a")
    /// ```
    public static func jsonbArray<Values: Collection>(_ values: Values) -> SQLExpression
    where Values.Element: SQLExpressible {
        jsonbArray(values.map { $0 as any SQLExpressible })
    }

    /// A JSONB array of values: `JSONB_ARRAY(1, 2, '3')`.
    public static func jsonbArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        SQLExpression("JSONB_ARRAY", JSONForm.binary.parts(values))
    }

    /// What JSON has at a path: `JSONB_EXTRACT(value, '$.a')`. An SQL value, or JSONB for arrays and objects.
    ///
    /// See <https://sqlite.org/json1.html#jex>.
    public static func jsonbExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        JSONForm.binary.extraction(value, atPath: path)
    }

    /// An array of what JSON has at some paths: `JSONB_EXTRACT(value, '$.a', '$.b')`.
    public static func jsonbExtract<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.binary.paths("EXTRACT", value, paths)
    }

    /// JSON with more values, at paths where nothing is: `JSONB_INSERT(value, '$[#]', 99)`.
    ///
    /// ```swift
    /// Database.jsonbInsert(Column("tags"), ["$[#]": "new"])
    /// // JSONB_INSERT("tags", '$[#]', 'new')
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jins>.
    public static func jsonbInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.binary.change("INSERT", value, assignments)
    }

    /// JSON with other values, at paths where something is: `JSONB_REPLACE(value, '$.a', 99)`.
    public static func jsonbReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.binary.change("REPLACE", value, assignments)
    }

    /// JSON with values at paths, whether something is there or not: `JSONB_SET(value, '$.a', 99)`.
    public static func jsonbSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.binary.change("SET", value, assignments)
    }

    /// JSON with more elements of arrays, before those at the paths: `JSONB_ARRAY_INSERT(value, '$[0]', 99)`.
    ///
    /// See <https://sqlite.org/json1.html#jarrayins>.
    public static func jsonbArrayInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.binary.change("ARRAY_INSERT", value, assignments)
    }

    /// A JSONB object of keys and values: `JSONB_OBJECT('name', "name")`.
    ///
    /// A dictionary has no order; its keys are sorted. For another one, pass `KeyValuePairs`, or an array.
    public static func jsonbObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        SQLExpression("JSONB_OBJECT", JSONForm.binary.pairs(elements) { $0.databaseValue })
    }

    /// JSON merged with other JSON: `JSONB_PATCH(value, '{"a":1}')`. A null removes a key: RFC 7396.
    ///
    /// See <https://sqlite.org/json1.html#jpatch>.
    public static func jsonbPatch(_ value: some SQLExpressible, with patch: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSONB_PATCH", value.node, patch.node)
    }

    /// JSON without what is at a path: `JSONB_REMOVE(value, '$.a')`.
    public static func jsonbRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSONB_REMOVE", value.node, PathNode(path.node))
    }

    /// JSON without what is at some paths, removed one after the other: `JSONB_REMOVE(value, '$.a', '$.b')`.
    public static func jsonbRemove<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.binary.paths("REMOVE", value, paths)
    }
}

// MARK: - Aggregates

// The aggregate functions: <https://sqlite.org/json1.html#jgrouparray>.

extension Database {
    /// A JSONB array of the values of a group: `JSONB_GROUP_ARRAY("name")`.
    ///
    /// ```swift
    /// Player
    ///     .select { [$0.teamId, Database.jsonbGroupArray($0.name, orderBy: $0.name, filter: $0.score > 0)] }
    ///     .group(\.teamId)
    /// // SELECT "teamId", JSONB_GROUP_ARRAY("name" ORDER BY "name") FILTER (WHERE "score" > 0)
    /// // FROM "player" GROUP BY "teamId"
    /// ```
    ///
    /// NULL becomes null. JSON is a part of the array.
    ///
    /// - Parameters:
    ///   - value: the elements.
    ///   - ordering: their order. Without one, they come in any.
    ///   - filter: a condition on the rows.
    public static func jsonbGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSONB_GROUP_ARRAY", [JSONForm.binary.part(value)], orderBy: ordering, filter: filter)
    }

    /// A JSONB object of the keys and values of a group: `JSONB_GROUP_OBJECT("name", "score")`.
    public static func jsonbGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate("JSONB_GROUP_OBJECT", [key.node, JSONForm.binary.part(value)], filter: filter)
    }
}

// MARK: - Literals

// Literals of elements of several types. The compiler does not find a common type for them by itself, where a method wants
// any collection.

extension Database {
    /// A JSONB array of values of several types: `JSONB_ARRAY("id", JSONB("info"))`.
    public static func jsonbArray(_ values: [any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSONB_ARRAY", JSONForm.binary.parts(values))
    }

    /// A JSONB object of keys, which are sorted, and values of several types: `JSONB_OBJECT('id', "id", 'name', "name")`.
    public static func jsonbObject(_ elements: [String: any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSONB_OBJECT", JSONForm.binary.pairs(elements) { $0.databaseValue })
    }

    /// JSON with more values, at paths where nothing is: `JSONB_INSERT(value, '$.a', 99)`.
    public static func jsonbInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("INSERT", value, assignments)
    }

    /// JSON with other values, at paths where something is: `JSONB_REPLACE(value, '$.a', 99)`.
    public static func jsonbReplace(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("REPLACE", value, assignments)
    }

    /// JSON with values at paths, whether something is there or not: `JSONB_SET(value, '$.a', 99)`.
    public static func jsonbSet(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("SET", value, assignments)
    }

    /// JSON with more elements of arrays, before those at the paths: `JSONB_ARRAY_INSERT(value, '$.a', 99)`.
    public static func jsonbArrayInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("ARRAY_INSERT", value, assignments)
    }
}
