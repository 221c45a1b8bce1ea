import CAmalgam
import Foundation

/// A write through a blob handle, from which observers receive the new column values.
///
/// SQLite's pre-update hook reports such a write as a deletion, without new values. The new values equal the old
/// values, apart from the written bytes of the blob. See <https://sqlite.org/c3ref/preupdate_blobwrite.html>.
struct BlobWrite {
    /// The blob handle, and the row that is written.
    struct Identity: Equatable {
        let blob: ObjectIdentifier
        let rowID: Int64
    }

    let identity: Identity
    let offset: Int
    /// Valid during the write.
    let bytes: UnsafeRawBufferPointer
    /// The encoding of TEXT values in the database: `SQLITE_UTF8` and the like.
    let encoding: CInt

    /// Replaces the written bytes in a value, so that the old value becomes the new one.
    func apply(to value: inout DatabaseValue) {
        switch value.storage {
        case .blob(var data):
            // `data` is now uniquely referenced, and is changed in place.
            value = .null
            patch(&data)
            value = data.databaseValue
        case .string(let string):
            var data = string.data(using: textEncoding) ?? Data()
            patch(&data)
            value = (String(data: data, encoding: textEncoding) ?? String(decoding: data, as: UTF8.self)).databaseValue
        default:
            break
        }
    }

    private func patch(_ data: inout Data) {
        guard offset <= data.count else { return }
        let end = min(data.count, offset + bytes.count)
        let range = (data.startIndex + offset)..<(data.startIndex + end)
        data.replaceSubrange(range, with: UnsafeRawBufferPointer(rebasing: bytes.prefix(end - offset)))
    }

    private var textEncoding: String.Encoding {
        switch encoding {
        case SQLITE_UTF16LE: .utf16LittleEndian
        case SQLITE_UTF16BE: .utf16BigEndian
        default: .utf8
        }
    }
}
