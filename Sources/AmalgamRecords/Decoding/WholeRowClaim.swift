import AmalgamCore

/// Allows only one property of a type to be decoded from the columns of the row itself.
///
/// For example, the type has the properties `player: Player` and `team: Team`. If the request doesn't include the
/// association `team`, there are no columns for this property. Without the check, `team` would be decoded from the
/// columns of the player.
final class WholeRowClaim {
    @exclusivity(unchecked)  // As below: decoders are used from one thread, and accesses never overlap.
    private var key: String?

    /// The number of the row that the property was decoded from.
    @exclusivity(unchecked)
    private var rowNumber = -1

    /// Decodes a property from the row itself.
    ///
    /// - Throws: `DecodingError.keyNotFound` if a different property was decoded from the row; errors of the closure.
    func claim<T>(_ name: String, _ source: RowSource, _ body: () throws -> T) throws -> T {
        if rowNumber == source.rowNumber, let key, key != name { throw Self.keysNotFound(key, name) }
        key = name
        rowNumber = source.rowNumber
        do {
            return try body()
        } catch {
            key = nil
            throw error
        }
    }

    static func keysNotFound(_ first: String, _ second: String) -> DecodingError {
        .keyNotFound(
            MissingKey(stringValue: second),
            DecodingError.Context(codingPath: [], debugDescription: "No such key: \(first) or \(second)"))
    }
}

private struct MissingKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
