import AmalgamCore
import CAmalgam
import Foundation

/// The changes of an input as small changesets, each of one table, for functions of SQLite that want a whole changeset.
///
/// SQLite's own function that inverts a stream trusts its bytes: on malformed ones it reads outside of its buffers.
/// Here each change has been read, and so checked, before it is part of a batch.
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

    /// Writes what a closure makes of each batch, as one changeset.
    func rewrite(to output: ChangesetOutput, _ body: (Batch) throws -> ChangesetBytes) throws {
        try output.write { sink in
            var writtenTable: RecordedTable?
            try forEach { batch, headerCount in
                let result = try body(batch)
                // The header comes once for a table, and not at all for a table without changes.
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
