public import AmalgamCore

// SQLite functions that return JSONB. They have the same arguments as the functions that return JSON text:
// <https://sqlite.org/json1.html>.

extension Database {
    /// Returns an expression for JSON converted to JSONB: `JSONB(value)`.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.set(to: Database.jsonb($0.info)) }
    /// // UPDATE "player" SET "info" = JSONB("info")
    /// ```
    ///
    /// Running the statement throws `malformed JSON` if the value isn't JSON. See
    /// <https://sqlite.org/json1.html#jminib>.
    public static func jsonb(_ value: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSONB", value.node)
    }

    /// Returns an expression for a JSONB array of values: `JSONB_ARRAY(1, 2, '3')`.
    ///
    /// TEXT values become JSON strings. JSON expressions are inserted as JSON:
    ///
    /// ```swift
    /// Database.jsonbArray([JSONColumn("a"), Column("a")])
    /// // JSONB_ARRAY(JSONB("a"), "a")
    /// ```
    public static func jsonbArray<Values: Collection>(_ values: Values) -> SQLExpression
    where Values.Element: SQLExpressible {
        jsonbArray(values.map { $0 as any SQLExpressible })
    }

    /// Returns an expression for a JSONB array of values: `JSONB_ARRAY(1, 2, '3')`.
    public static func jsonbArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        SQLExpression("JSONB_ARRAY", JSONForm.binary.parts(values))
    }

    /// Returns an expression for the value at a path: `JSONB_EXTRACT(value, '$.a')`. The result is an SQL value. Arrays
    /// and objects are returned as JSONB.
    ///
    /// ```swift
    /// Player.select { Database.jsonbExtract($0.info, atPath: "$.tags") }
    /// // SELECT JSONB_EXTRACT("info", '$.tags') FROM "player"
    /// ```
    ///
    /// See <https://sqlite.org/json1.html#jex>.
    public static func jsonbExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        JSONForm.binary.extraction(value, atPath: path)
    }

    /// Returns an expression for a JSONB array of the values at several paths: `JSONB_EXTRACT(value, '$.a', '$.b')`.
    public static func jsonbExtract<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.binary.paths("EXTRACT", value, paths)
    }

    /// Returns an expression for JSONB with values inserted at paths that don't exist:
    /// `JSONB_INSERT(value, '$[#]', 99)`.
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

    /// Returns an expression for JSONB with values replaced at paths that exist: `JSONB_REPLACE(value, '$.a', 99)`.
    ///
    /// ```swift
    /// Database.jsonbReplace(Column("info"), ["$.score": 10])
    /// // JSONB_REPLACE("info", '$.score', 10)
    /// ```
    public static func jsonbReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.binary.change("REPLACE", value, assignments)
    }

    /// Returns an expression for JSONB with values set at paths, whether or not they exist:
    /// `JSONB_SET(value, '$.a', 99)`.
    ///
    /// ```swift
    /// Database.jsonbSet(Column("info"), ["$.score": 10])
    /// // JSONB_SET("info", '$.score', 10)
    /// ```
    public static func jsonbSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.binary.change("SET", value, assignments)
    }

    /// Returns an expression for JSONB with elements inserted into arrays, before the elements at the paths:
    /// `JSONB_ARRAY_INSERT(value, '$[0]', 99)`.
    ///
    /// See <https://sqlite.org/json1.html#jarrayins>.
    public static func jsonbArrayInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        JSONForm.binary.change("ARRAY_INSERT", value, assignments)
    }

    /// Returns an expression for a JSONB object of keys and values: `JSONB_OBJECT('name', "name")`.
    ///
    /// ```swift
    /// Player.select { Database.jsonbObject(["id": $0.id, "name": $0.name]) }
    /// // SELECT JSONB_OBJECT('id', "id", 'name', "name") FROM "player"
    /// ```
    ///
    /// The keys of a dictionary are sorted. To define a different order, pass `KeyValuePairs` or an array.
    public static func jsonbObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        SQLExpression("JSONB_OBJECT", JSONForm.binary.pairs(elements) { $0.databaseValue })
    }

    /// Returns an expression for JSONB merged with a patch: `JSONB_PATCH(value, '{"a":1}')`. A null in the patch
    /// removes the key, by RFC 7396.
    ///
    /// See <https://sqlite.org/json1.html#jpatch>.
    public static func jsonbPatch(_ value: some SQLExpressible, with patch: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSONB_PATCH", value.node, patch.node)
    }

    /// Returns an expression for JSONB without the value at a path: `JSONB_REMOVE(value, '$.a')`.
    ///
    /// ```swift
    /// Database.jsonbRemove(Column("info"), atPath: "$.draft")
    /// // JSONB_REMOVE("info", '$.draft')
    /// ```
    public static func jsonbRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression("JSONB_REMOVE", value.node, PathNode(path.node))
    }

    /// Returns an expression for JSONB without the values at several paths, which are removed in order:
    /// `JSONB_REMOVE(value, '$.a', '$.b')`.
    public static func jsonbRemove<Paths: Collection>(_ value: some SQLExpressible, atPaths paths: Paths)
        -> SQLExpression
    where Paths.Element: SQLExpressible {
        JSONForm.binary.paths("REMOVE", value, paths)
    }
}

// MARK: - Aggregates

// Aggregate functions: <https://sqlite.org/json1.html#jgrouparray>.

extension Database {
    /// Returns an aggregate expression for a JSONB array of the values of a group: `JSONB_GROUP_ARRAY("name")`.
    ///
    /// ```swift
    /// Player
    ///     .select { [$0.teamId, Database.jsonbGroupArray($0.name, orderBy: $0.name, filter: $0.score > 0)] }
    ///     .group(\.teamId)
    /// // SELECT "teamId", JSONB_GROUP_ARRAY("name" ORDER BY "name") FILTER (WHERE "score" > 0)
    /// // FROM "player" GROUP BY "teamId"
    /// ```
    ///
    /// NULL becomes null. JSON expressions are inserted as JSON.
    ///
    /// - Parameters:
    ///   - value: The elements.
    ///   - ordering: The order of the elements. If nil, the order is undefined.
    ///   - filter: A condition on the rows: `FILTER (WHERE …)`.
    public static func jsonbGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLCondition)? = nil
    ) -> SQLExpression {
        .aggregate("JSONB_GROUP_ARRAY", [JSONForm.binary.part(value)], orderBy: ordering, filter: filter)
    }

    /// Returns an aggregate expression for a JSONB object of the keys and values of a group:
    /// `JSONB_GROUP_OBJECT("name", "score")`.
    public static func jsonbGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLCondition)? = nil
    ) -> SQLExpression {
        .aggregate("JSONB_GROUP_OBJECT", [key.node, JSONForm.binary.part(value)], filter: filter)
    }
}

// MARK: - Literals

// Overloads for array and dictionary literals whose values have several types, such as `[Column("id"), 1]`. If the
// parameter is a generic collection, the compiler infers no common type for the values of such a literal.

extension Database {
    /// Returns an expression for a JSONB array of values of several types: `JSONB_ARRAY("id", JSONB("info"))`.
    public static func jsonbArray(_ values: [any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSONB_ARRAY", JSONForm.binary.parts(values))
    }

    /// Returns an expression for a JSONB object of values of several types, with sorted keys:
    /// `JSONB_OBJECT('id', "id", 'name', "name")`.
    public static func jsonbObject(_ elements: [String: any SQLExpressible]) -> SQLExpression {
        SQLExpression("JSONB_OBJECT", JSONForm.binary.pairs(elements) { $0.databaseValue })
    }

    /// Returns an expression for JSONB with values inserted at paths that don't exist:
    /// `JSONB_INSERT(value, '$.a', 99)`.
    public static func jsonbInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("INSERT", value, assignments)
    }

    /// Returns an expression for JSONB with values replaced at paths that exist: `JSONB_REPLACE(value, '$.a', 99)`.
    public static func jsonbReplace(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("REPLACE", value, assignments)
    }

    /// Returns an expression for JSONB with values set at paths, whether or not they exist:
    /// `JSONB_SET(value, '$.a', 99)`.
    public static func jsonbSet(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("SET", value, assignments)
    }

    /// Returns an expression for JSONB with elements inserted into arrays, before the elements at the paths:
    /// `JSONB_ARRAY_INSERT(value, '$[0]', 99)`.
    public static func jsonbArrayInsert(
        _ value: some SQLExpressible, _ assignments: [String: any SQLExpressible]
    ) -> SQLExpression {
        JSONForm.binary.change("ARRAY_INSERT", value, assignments)
    }
}
