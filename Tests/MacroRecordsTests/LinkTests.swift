#if Macros
import Foundation
import Testing

/// The links of this folder to the files of AmalgamRecordsTests.
@Suite("Links to record tests")
struct LinkTests {
    /// The files without a link, and why their tests don't run for records by macros.
    private let unlinked = [
        "Decoding/DecodableRecordTests.swift": "decoders and containers, which only Codable records have",
        "Decoding/RowContainerTests.swift": "containers, which only Codable records have",
        "Decoding/WrapperRecordTests.swift": "records with code of their own in init(from:) and encode(to:)",
        "Encoding/RecordChangesTests.swift": "a record whose columns vary",
        "Guides/MigrationGuideTests.swift": "no records",
        "Guides/SchemaGuideTests.swift": "no records",
        "Persistence/NotANumberTests.swift": "records of both kinds",
        "Record/RecordTests.swift": "subclasses of the class Record",
        "Support/Players.swift": "the records that Players.swift of this folder declares",
    ]

    @Test("each file of the record tests has a link here, or a reason not to have one")
    func links() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let tests = folder.deletingLastPathComponent().appending(path: "AmalgamRecordsTests")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: tests.path()).filter { $0.hasSuffix(".swift") }
        let links = try FileManager.default.contentsOfDirectory(atPath: folder.path()).compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder.appending(path: name).path())
        }
        let linked = paths.filter { links.contains("../AmalgamRecordsTests/\($0)") }
        #expect(Set(paths).subtracting(linked) == Set(unlinked.keys))
    }
}
#endif
