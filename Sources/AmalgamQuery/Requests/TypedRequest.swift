/// A request or an association with a type that its rows are decoded as.
public protocol TypedRequest<RowDecoder> {
    /// The type that rows are decoded as: a record, a value, or `Row`.
    associatedtype RowDecoder
}
