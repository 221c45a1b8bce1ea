package import Foundation

/// A date in a URL, in ISO 8601 and UTC: `2026-01-31T12:00:00Z`, or what a form sends, `2026-01-31T12:00`.
package enum Moment {
    /// The date to the millisecond, which is how the audit log stores it. The format would cut the rest off, so that the
    /// moment of a change could be a millisecond before the change.
    package static func text(_ date: Date) -> String { (date + 0.000_5).formatted(precise) }

    /// - Returns: nil if the parameter is missing or empty.
    /// - Throws: ``InvalidInput`` if it isn't a date.
    package static func date(_ fields: FormFields) throws -> Date? {
        guard let text = fields["at"], !text.isEmpty else { return nil }
        for candidate in [text, text + "Z", text + ":00Z"] {
            if let date = (try? precise.parse(candidate)) ?? (try? Date.ISO8601FormatStyle().parse(candidate)) {
                return date
            }
        }
        throw InvalidInput(.malformed, "The parameter at isn't a date.")
    }

    private static let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
