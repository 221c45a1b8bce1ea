import Foundation
import Hummingbird

/// A date in a URL, in ISO 8601 and UTC: `2026-01-31T12:00:00Z`, or what a form sends, `2026-01-31T12:00`.
enum Moment {
    static func text(_ date: Date) -> String { date.formatted(precise) }

    /// - Returns: nil if the parameter is missing or empty.
    /// - Throws: 400 if it isn't a date.
    static func date(_ fields: FormFields) throws -> Date? {
        guard let text = fields["at"], !text.isEmpty else { return nil }
        for candidate in [text, text + "Z", text + ":00Z"] {
            if let date = (try? precise.parse(candidate)) ?? (try? Date.ISO8601FormatStyle().parse(candidate)) {
                return date
            }
        }
        throw HTTPError(.badRequest, message: "The parameter at isn't a date.")
    }

    private static let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
