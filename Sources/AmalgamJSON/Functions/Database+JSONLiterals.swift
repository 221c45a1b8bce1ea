public import AmalgamCore

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
