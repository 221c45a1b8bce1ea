import CAmalgam
import Foundation

/// A write through a blob handle, for those who observe it.
///
/// SQLite reports such a write as a deletion, because the session extension can do with that, and knows no new
/// values: they are the old ones, with the bytes that are written in the place of others.
/// See <https://sqlite.org/c3ref/preupdate_blobwrite.html>.
struct BlobWrite {
    /// Which blob of which row is written.
    struct Identity: Equatable {
        let blob: ObjectIdentifier
        let rowID: Int64
    }

    let identity: Identity
    let offset: Int
    /// Valid during the write.
    let bytes: UnsafeRawBufferPointer
    /// The encoding of texts in the database: `SQLITE_UTF8` and the like.
    let encoding: CInt

    /// Makes the old value the new one.
    func apply(to value: inout DatabaseValue) {
        switch value.storage {
        case .blob(var data):
            // Now the bytes have one owner, and are changed where they are.
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
