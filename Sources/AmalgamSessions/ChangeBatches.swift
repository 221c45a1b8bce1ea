import AmalgamCore
import CAmalgam
import Foundation

/// Splits the changes of an input into batches. A batch is a small changeset of one table. Batches are
/// passed to C functions that need a whole changeset.
///
/// `sqlite3changeset_invert_strm` doesn't check its input, and reads outside of its buffers if the input is malformed.
/// A batch only contains changes that an iterator has read, and thereby checked.
struct ChangeBatches {
    /// A changeset of one table.
    struct Batch {
        let table: RecordedTable
        let count: CInt
        let pointer: UnsafeMutableRawPointer?
    }

    private let input: ChangesetInput
    private static let capacity = 1 << 16

    init(_ input: ChangesetInput) {
        self.input = input
    }

    /// Calls a closure with each batch, and writes the changesets that the closure returns as one changeset.
    func rewrite(to output: ChangesetOutput, _ body: (Batch) throws -> ChangesetBytes) throws {
        try output.write { sink in
            var writtenTable: RecordedTable?
            try forEach { batch, headerCount in
                let result = try body(batch)
                // The header of a table is written once, and only if there are changes.
                guard result.count > headerCount else { return }
                let isKnown = writtenTable === batch.table
                writtenTable = batch.table
                try result.withUnsafeBytes {
                    try sink(UnsafeRawBufferPointer(rebasing: $0[(isKnown ? headerCount : 0)...]))
                }
            }
        }
    }

    private func forEach(_ body: (Batch, _ headerCount: Int) throws -> Void) throws {
        let reader = try ChangeReader(input)
        var bytes = Data()
        var table: RecordedTable?
        var headerCount = 0
        func flush() throws {
            guard let table, bytes.count > headerCount else { return }
            let count = bytes.count
            try bytes.withUnsafeMutableBytes { buffer in
                try body(Batch(table: table, count: CInt(clamping: count), pointer: buffer.baseAddress), headerCount)
            }
            bytes.removeSubrange(bytes.startIndex + headerCount..<bytes.endIndex)
        }
        while try reader.step() {
            try reader.checkKind(isPatchset: false)
            let nextTable = try reader.table()
            if nextTable !== table {
                try flush()
                table = nextTable
                bytes = reader.header
                headerCount = bytes.count
            }
            reader.withChangeBytes { bytes.append(contentsOf: $0) }
            if bytes.count >= Self.capacity { try flush() }
        }
        try flush()
    }
}
