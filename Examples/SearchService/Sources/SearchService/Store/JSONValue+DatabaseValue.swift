import Amalgam
import Foundation
import ServiceInputs

extension JSONValue {
    /// A database value as JSON. A blob becomes a blob literal, such as `x'00ff'`.
    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let number): .integer(Int(number))
            case .double(let number): number.isFinite ? .number(number) : .string("\(number)")
            case .string(let text): .string(text)
            case .blob(let data): .string(Self.literal(data))
            }
    }

    private static func literal(_ data: Data) -> String {
        let bytes = data.prefix(1_000).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return "x'\(bytes)'" + (data.count > 1_000 ? "…" : "")
    }
}
