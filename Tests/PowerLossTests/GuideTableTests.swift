import Foundation
import PowerPrograms
import Testing

/// The table of the guide about durability has the promises that are tested.
@Suite struct GuideTableTests {
    private static let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/Amalgam/Amalgam.docc/Durability.md").standardized

    /// The cells of the rows that begin with a journal mode.
    private func rows() throws -> [[String]] {
        try String(contentsOf: Self.guide, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 4 && Setting.Journal(rawValue: cells[0].lowercased()) != nil ? cells : nil
        }
    }

    @Test func theGuideHasALineForEachSetting() throws {
        let lines = Setting.all.filter { $0.policy == .automatic }.map { setting in
            [
                setting.journal.rawValue.uppercased(), setting.synchronous.rawValue.uppercased(),
                setting.promise(keepsOrder: false).sentence, setting.promise(keepsOrder: true).sentence,
            ]
        }
        #expect(try rows() == lines)
    }

    /// A policy changes when checkpoints run, and so which commits `NORMAL` has put on the disk, but no promise.
    @Test func aPolicyChangesNoPromise() {
        for setting in Setting.all {
            let plain = Setting(setting.journal, setting.synchronous)
            #expect(setting.promise(keepsOrder: false) == plain.promise(keepsOrder: false))
            #expect(setting.promise(keepsOrder: true) == plain.promise(keepsOrder: true))
        }
    }
}

extension Promise {
    /// The words of the guide.
    fileprivate var sentence: String {
        switch self {
        case .nothing: "the file may be damaged"
        case .intact: "the file is intact; the last commits may be missing"
        case .allButLast: "the file is intact; the last commit may be missing"
        case .everyCommit: "each commit is there"
        }
    }
}
