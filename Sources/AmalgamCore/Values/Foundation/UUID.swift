public import CAmalgam
public import Foundation

/// Stored as a BLOB of 16 bytes. Read from such a blob, or from a text such as
/// `E621E1F8-C36C-495A-93FC-0C247A3E6E5F` in either letter case.
extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// A BLOB of 16 bytes.
    public var databaseValue: DatabaseValue {
        withUnsafeBytes(of: uuid) { Data($0) }.databaseValue
    }

    /// The UUID of a blob of 16 bytes, or of a text of 36 characters; nil for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storage {
        case .blob(let data): data.withUnsafeBytes { UUID(bytes: $0) }
        case .string(var string): string.withUTF8 { UUID(text: UnsafeRawBufferPointer($0)) }
        default: nil
        }
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes(of: uuid) { bindBlob($0, to: sqliteStatement, at: index) }
    }

    /// The UUID of a blob of 16 bytes, or of a text of 36 characters; nil for anything else.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let uuid = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self = uuid
    }

    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> UUID? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isBlob { return UUID(bytes: value.pointee.buffer) }
        if value.pointee.isNull { return nil }
        return converted(sqliteStatement, index)
    }

    /// The columns that hold neither a blob nor NULL.
    @usableFromInline
    @inline(never)
    static func converted(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> UUID? {
        let value = amalgam_column(sqliteStatement, index)!
        if value.pointee.isText { return UUID(text: value.pointee.buffer) }
        return fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
    }
}

// MARK: - Bytes and text

extension UUID {
    @inlinable
    @inline(__always)
    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Two hexadecimal digits a byte, with a hyphen before the 4th, 6th, 8th and 10th.
    private init?(text: UnsafeRawBufferPointer) {
        guard text.count == 36 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isWellFormed = withUnsafeMutableBytes(of: &uuid) { bytes in
            var position = 0
            // No early exit: all mistakes end up in one byte, which valid text leaves at zero.
            var mistakes: UInt8 = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    mistakes |= text[position] ^ UInt8(ascii: "-")
                    position &+= 1
                }
                let high = hexadecimalValue(text[position])
                let low = hexadecimalValue(text[position &+ 1])
                mistakes |= (high | low) & 0xf0
                bytes[index] = high << 4 | low & 0x0f
                position &+= 2
            }
            return mistakes == 0
        }
        guard isWellFormed else { return nil }
        self.init(uuid: uuid)
    }
}

/// 0 to 15, or more for what is no hexadecimal digit.
@inline(__always)
private func hexadecimalValue(_ byte: UInt8) -> UInt8 {
    let digit = byte &- UInt8(ascii: "0")
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : 0xff
}
