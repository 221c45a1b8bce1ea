/// What passes for JSON: see ``AmalgamCore/Database/jsonIsValid(_:options:)``.
///
/// See <https://sqlite.org/json1.html#jvalid>.
public struct JSONValidationOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A text that is JSON by RFC 8259, with no extension.
    public static let json = JSONValidationOptions(rawValue: 1)

    /// A text that is JSON, or JSON5.
    public static let json5 = JSONValidationOptions(rawValue: 2)

    /// A blob that looks like JSONB: its outermost header is right. This is fast.
    public static let probablyJSONB = JSONValidationOptions(rawValue: 4)

    /// A blob that is JSONB, looked at in full.
    public static let jsonb = JSONValidationOptions(rawValue: 8)
}
