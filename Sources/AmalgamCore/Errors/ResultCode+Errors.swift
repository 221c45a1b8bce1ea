extension ResultCode {
    /// Returns whether `rhs` is a ``DatabaseError`` whose code is `lhs`, or an extended code of `lhs`.
    ///
    /// For example, `SQLITE_CONSTRAINT` matches an error of code `SQLITE_CONSTRAINT_UNIQUE`:
    ///
    /// ```swift
    /// do {
    ///     try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
    /// } catch ResultCode.SQLITE_CONSTRAINT {
    ///     print("not inserted")
    /// }
    /// ```
    public static func ~= (lhs: ResultCode, rhs: any Error) -> Bool {
        guard let error = rhs as? DatabaseError else { return false }
        return lhs ~= error.extendedResultCode
    }
}
