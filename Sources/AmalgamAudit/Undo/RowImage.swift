internal import AmalgamCore
internal import Foundation
import CAmalgam

/// The values of the stored columns of a row, with the exact bytes that SQLite stores: see `shims/images.h`.
struct RowImage: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Copies columns of the current row of a statement.
    ///
    /// - Throws: `SQLITE_NOMEM`.
    init(_ statement: SQLiteStatement, columns: Range<Int>) throws {
        let (first, count) = (CInt(columns.lowerBound), CInt(columns.count))
        let size = amalgam_image_row_size(statement, first, count)
        guard size >= 0 else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, initialized in
            if size > 0 { amalgam_image_row_write(statement, first, count, buffer.baseAddress!) }
            initialized = Int(size)
        }
    }

    /// The bytes of each value.
    var values: [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        bytes.withUnsafeBufferPointer { buffer in
            var start = 0
            while start < buffer.count {
                let end = start + amalgam_image_length(buffer.baseAddress! + start)
                values.append(bytes[start..<end])
                start = end
            }
        }
        return values
    }

    init(values: some Sequence<ArraySlice<UInt8>>) { bytes = values.flatMap { $0 } }
}

extension DatabaseValue {
    /// Decodes a value of an image. Bytes of TEXT that are no characters become U+FFFD.
    init(image: ArraySlice<UInt8>, encoding: CInt) {
        let payload = image.dropFirst()
        switch CInt(image.first ?? 0) {
        case SQLITE_INTEGER: self = payload.loaded(as: Int64.self).databaseValue
        case SQLITE_FLOAT: self = payload.loaded(as: Double.self).databaseValue
        case SQLITE_TEXT: self = Self.text(payload.dropFirst(4), encoding).databaseValue
        case SQLITE_BLOB: self = Array(payload.dropFirst(4)).withUnsafeBytes { Data($0) }.databaseValue
        default: self = .null
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>, _ encoding: CInt) -> String {
        if encoding == SQLITE_UTF8 { return String(decoding: bytes, as: UTF8.self) }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return encoding == SQLITE_UTF16LE ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func loaded<T>(as type: T.Type) -> T { withUnsafeBytes { $0.loadUnaligned(as: type) } }
}
