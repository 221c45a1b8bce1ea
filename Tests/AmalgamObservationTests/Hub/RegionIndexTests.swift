import AmalgamConcurrency
@testable import AmalgamCore
@testable import AmalgamObservation
import TestSupport
import Testing

/// The tracked regions of many observations.
@Suite struct RegionIndexTests {
    private final class Member: RunningObservation {
        var trigger: ValueObservationTrigger { .writes }
        var commitPhase: CommitPhase { .callsBack }
        var findsOutRegions: Bool { true }
        func region(_ db: Database) -> DatabaseRegion? { nil }
        func forgetDefinitions() {}
        func commitCame() -> ObservationAction { .none }
        func databaseDidChange() {}
        func act(_ action: ObservationAction, at commit: HubCommit) {}
    }

    private static let player = DatabaseRegion(table: "player")

    /// Removing one takes the same time whatever their number: comparisons with all others would take hours.
    @Test(arguments: [player, .fullDatabase])
    func manyObservationsAreRemovedInAnyOrder(region: DatabaseRegion) {
        let members = (0..<100_000).map { _ in Member() }
        var index = RegionIndex()
        for member in members { index.add(member, region) }
        let time = threadTime { for member in members.shuffled().dropFirst(2) { index.remove(member, region) } }
        #expect(time < .seconds(600))
        #expect(index.entries(of: "player").count == 2)
    }

    @Test func entriesKeepTheirOrder() {
        let members = (0..<10).map { _ in Member() }
        var index = RegionIndex()
        for member in members { index.add(member, Self.player) }
        for number in [0, 3, 4, 5, 8, 9] { index.remove(members[number], Self.player) }
        index.add(members[3], Self.player)
        index.remove(members[9], Self.player)
        let entries = index.entries(of: "player").map(\.member.id)
        #expect(entries == [1, 2, 6, 7, 3].map { members[$0].id })
        #expect(index.entries(of: "team").isEmpty)
        for number in [1, 2, 6, 7, 3] { index.remove(members[number], Self.player) }
        #expect(index.isEmpty)
    }
}
