/// A request or an association that knows the type that its rows are decoded as.
public protocol TypedRequest<RowDecoder> {
    /// The type that rows are decoded as: a record, a value, or `Row`.
    associatedtype RowDecoder
}
