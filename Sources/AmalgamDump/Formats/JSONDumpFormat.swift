public import AmalgamCore
public import Foundation

/// A format that writes a JSON array of objects: <https://www.rfc-editor.org/rfc/rfc8259>.
///
/// ```swift
/// try db.dumpSQL("SELECT 1 AS id, 'Anna' AS name UNION SELECT 2, NULL", format: .json())
/// // [{"id":1,"name":"Anna"},
/// // {"id":2,"name":null}]
/// ```
///
/// The keys are in the order of the columns. The ``encoder`` writes the values. The default encoder writes blobs as
/// base64, and numbers that JSON can't represent as `"inf"`, `"-inf"` and `"nan"`. If the encoder is pretty-printing,
/// each value is on a separate line.
public struct JSONDumpFormat: Sendable {
    /// The encoder of the values.
    public var encoder: JSONEncoder

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// - Parameter encoder: the encoder of the values.
    public init(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) {
        self.encoder = encoder
    }

    /// An encoder that writes blobs as base64, infinite numbers and NaN as strings, and slashes without escapes.
    ///
    /// ```swift
    /// let encoder = JSONDumpFormat.defaultEncoder
    /// encoder.outputFormatting.insert(.prettyPrinted)
    /// try db.dumpSQL("SELECT * FROM player", format: .json(encoder: encoder))
    /// ```
    public static var defaultEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dataEncodingStrategy = .base64
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }
}

extension JSONDumpFormat: DumpFormat {
    private var isPretty: Bool { encoder.outputFormatting.contains(.prettyPrinted) }

    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let members = try statement.dumpedColumns.map { column in
            try text(column.name) + ":" + text(of: statement.dumpedValue(column.index))
        }
        let start = isFirstRow ? "[" : ","
        isFirstRow = false
        if isPretty {
            let lines = members.map { "    " + $0 }.joined(separator: ",\n")
            stream.write("\(start)\n  {\n\(lines)\n  }")
        } else {
            stream.write(start == "[" ? start : ",\n")
            stream.write("{" + members.joined(separator: ",") + "}")
        }
    }

    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if isFirstRow {
            stream.write("[]\n")
        } else {
            stream.write(isPretty ? "\n]\n" : "]\n")
        }
        isFirstRow = true
    }

    private func text(of value: DatabaseValue) throws -> String {
        switch value.storage {
        case .null: "null"
        case .int64(let integer): String(integer)
        case .double(let double): try text(double)
        case .string(let string): try text(string)
        case .blob(let data): try text(data)
        }
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension DumpFormat where Self == JSONDumpFormat {
    /// A JSON array of objects: see ``JSONDumpFormat``.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player", format: .json())
    /// ```
    public static func json(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) -> Self {
        JSONDumpFormat(encoder: encoder)
    }
}
