public import CAmalgam
public import Foundation

/// A UUID, stored as a BLOB of 16 bytes. Decoding accepts such a BLOB, or a string such as
/// `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, in uppercase or lowercase.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO note (id) VALUES (?)", arguments: [UUID()])
/// let id = try UUID.fetchOne(db, sql: "SELECT id FROM note")
/// ```
extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// A BLOB value of 16 bytes.
    public var databaseValue: DatabaseValue {
        withUnsafeBytes(of: uuid) { Data($0) }.databaseValue
    }

    /// Returns the UUID of a BLOB value of 16 bytes, or of a TEXT value of 36 characters; nil for other values.
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

    /// Decodes a BLOB value of 16 bytes, or a TEXT value of 36 characters; nil for other values.
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

    /// Decodes columns that are neither BLOB nor NULL.
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

    /// Parses two hexadecimal digits per byte, with a hyphen before the bytes 4, 6, 8 and 10.
    private init?(text: UnsafeRawBufferPointer) {
        guard text.count == 36 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isWellFormed = withUnsafeMutableBytes(of: &uuid) { bytes in
            var position = 0
            // There is no early exit: all errors are combined in one byte, which is zero for a valid string.
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

/// Returns 0 to 15, or a larger number if the character isn't a hexadecimal digit.
@inline(__always)
private func hexadecimalValue(_ byte: UInt8) -> UInt8 {
    let digit = byte &- UInt8(ascii: "0")
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : 0xff
}
