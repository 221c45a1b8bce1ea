import AmalgamCore

extension (any SQLExpressible)? {
    /// The expression; NULL for nil.
    var sqlExpression: SQLExpression { self?.sqlExpression ?? DatabaseValue.null.sqlExpression }
}
