#if Macros || !MACRO_RECORDS
@testable import AmalgamObservation
import Amalgam
import TestSupport
import Testing

@Suite struct ListDifferenceTests {
    #if MACRO_RECORDS
    @Record
    #endif
    struct Player: FetchedRecord, TableRecord, Equatable, Identifiable {
        var id: Int64
        var name: String
        var score = 0
    }

    static let anna = Player(id: 1, name: "Anna", score: 10)
    static let ben = Player(id: 2, name: "Ben", score: 20)
    static let cleo = Player(id: 3, name: "Cleo", score: 30)

    private func difference(_ old: [Player]?, _ new: [Player]) -> ListDifference<Player> {
        ListDifference(from: old, to: new, by: \.id, isSame: ==)
    }

    @Test func theFirstListIsInserted() {
        let difference = difference(nil, [Self.anna, Self.ben])
        #expect(difference.isInitial)
        #expect(difference.insertions.map(\.offset) == [0, 1])
        #expect(difference.insertions.map(\.element) == [Self.anna, Self.ben])
        #expect(difference.steps == [.insert(Self.anna, at: 0), .insert(Self.ben, at: 1)])
    }

    @Test func insertionsDeletionsMovesAndUpdates() {
        var changed = Self.anna
        changed.score = 15
        let dan = Player(id: 4, name: "Dan", score: 5)
        let difference = difference([Self.anna, Self.ben, Self.cleo], [Self.cleo, changed, dan])
        #expect(!difference.isInitial)
        #expect(difference.deletions == [.init(offset: 1, element: Self.ben)])
        #expect(difference.insertions == [.init(offset: 2, element: dan)])
        #expect(difference.moves == [.init(from: 2, to: 0, element: Self.cleo)])
        #expect(difference.updates == [.init(from: 0, to: 1, old: Self.anna, new: changed)])
        #expect(
            difference.steps == [
                .remove(at: 2), .remove(at: 1), .insert(Self.cleo, at: 0), .insert(dan, at: 2),
                .update(changed, at: 1),
            ])
    }

    @Test func anUpdateInPlaceIsOneStep() {
        var changed = Self.ben
        changed.name = "Benno"
        let difference = difference([Self.anna, Self.ben], [Self.anna, changed])
        #expect(difference.steps == [.update(changed, at: 1)])
        #expect(difference.moves.isEmpty && difference.insertions.isEmpty && difference.deletions.isEmpty)
    }

    @Test func movesAreAsFewAsPossible() {
        func list(_ ids: [Int64]) -> [Player] { ids.map { Player(id: $0, name: "") } }
        let difference = difference(list([1, 2, 3, 4, 5]), list([2, 3, 4, 5, 1]))
        #expect(difference.moves.map(\.from) == [0])
        #expect(difference.moves.map(\.to) == [4])
    }

    @Test func elementsOfOneIdentityAreToldApartByTheirOrder() {
        let difference = ListDifference(from: ["a", "a", "b"], to: ["a", "b", "a", "a"], by: { $0 }, isSame: ==)
        var list = ["a", "a", "b"]
        difference.apply(to: &list)
        #expect(list == ["a", "b", "a", "a"])
        #expect(difference.insertions.count == 1)
        #expect(difference.deletions.isEmpty)
    }

    @Test func aListThatIsAnotherOneIsReplaced() {
        var list = [Self.cleo]
        difference([Self.anna, Self.ben], [Self.ben]).apply(to: &list)
        #expect(list == [Self.ben])
    }

    /// The steps transform one list into the other, and so does one batch of deletions, moves and insertions.
    @Test func randomLists() {
        for _ in 1...500 {
            func list() -> [Player] {
                (1...10).shuffled().prefix(Int.random(in: 0...10)).map {
                    Player(id: $0, name: "", score: Int.random(in: 0...1))
                }
            }
            let (old, new) = (list(), list())
            let difference = difference(old, new)
            var stepwise = old
            difference.apply(to: &stepwise)
            #expect(stepwise == new)
            let gone = Set(difference.deletions.map(\.offset) + difference.moves.map(\.from))
            var batch = old.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
            let arriving =
                difference.insertions.map { ($0.offset, $0.element) } + difference.moves.map { ($0.to, $0.element) }
            for (offset, element) in arriving.sorted(by: { $0.0 < $1.0 }) { batch.insert(element, at: offset) }
            #expect(batch.map(\.id) == new.map(\.id))
            for update in difference.updates {
                #expect(old[update.from] == update.old && new[update.to] == update.new && update.old != update.new)
            }
            #expect(difference.isEmpty == (old == new))
        }
    }

    @Test(arguments: Store.allCases)
    func anObservationNotifiesDifferences(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer("Anna", score: 10) }
            let recorder = Recorder<ListDifference<Player>>()
            let observation = ValueObservation.tracking { db in
                try Player.order(Column("score").desc).fetchAll(db)
            }.differences()
            let cancellable = recorder.start(observation, in: writer)
            var list: [Player] = []
            try recorder.wait(count: 1)[0].apply(to: &list)
            #expect(list == [Self.anna])
            try writer.write { try $0.addPlayer("Ben", score: 20) }
            let second = try recorder.wait(count: 2)[1]
            #expect(second.steps == [.insert(Self.ben, at: 0)])
            // The list is unchanged: there is nothing to notify.
            try writer.write { try $0.execute(sql: "UPDATE player SET score = score") }
            try writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
            let third = try recorder.wait(count: 3)[2]
            #expect(third.deletions == [.init(offset: 1, element: Self.anna)])
            cancellable.cancel()
        }
    }

    // MARK: A value alongside

    struct Ranking: Equatable, Sendable {
        var players: [Player]
        var teamCount: Int
    }

    @Test(arguments: Store.allCases)
    func aValueIsNotifiedAlongsideADifference(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer("Anna", score: 10) }
            let recorder = Recorder<ListChange<Ranking, Player>>()
            let observation = ValueObservation.tracking { db in
                try Ranking(
                    players: Player.order(Column("score").desc).fetchAll(db), teamCount: Table("team").fetchCount(db))
            }.removeDuplicates().differences(of: \.players, by: \.id)
            let cancellable = recorder.startImmediately(observation, in: writer)
            #expect(recorder.values[0].difference.isInitial)
            #expect(recorder.values[0].value == Ranking(players: [Self.anna], teamCount: 0))
            // The list is unchanged, but the other value isn't.
            try writer.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
            let second = try recorder.wait(count: 2)[1]
            #expect(second.difference.isEmpty && !second.difference.isInitial)
            #expect(second.value.teamCount == 1)
            try writer.write { db in
                try db.execute(sql: "INSERT INTO team DEFAULT VALUES")
                try db.addPlayer("Ben", score: 20)
            }
            let third = try recorder.wait(count: 3)[2]
            #expect(third.difference.steps == [.insert(Self.ben, at: 0)])
            #expect(third.value.teamCount == 2)
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.queues)
    func aTupleMayContainTheList(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let observation = ValueObservation.tracking { db in try (Player.fetchAll(db), db.playerCount()) }
                .differences(of: \.0)
                .map { change in change.difference.insertions.count * 10 + change.value.1 }
            let cancellable = recorder.startImmediately(observation, in: writer)
            try writer.write { try $0.addPlayer() }
            #expect(try recorder.wait(count: 2) == [0, 11])
            cancellable.cancel()
        }
    }

    // MARK: Two lists

    @Test func aDifferenceIsMadeFromTwoLists() {
        var changed = Self.anna
        changed.score = 15
        #expect(ListDifference(from: [Self.anna], to: [changed, Self.ben]).insertions.map(\.element) == [Self.ben])
        let byName = ListDifference(from: [Self.anna], to: [changed], by: \.name)
        #expect(byName.updates.map(\.new) == [changed])
        let ofNames = ListDifference(from: [Self.anna], to: [changed], by: \.id) { $0.name == $1.name }
        #expect(ofNames.isEmpty)
        #expect(ofNames.elements == [changed])
        #expect(ListDifference(from: nil, to: [Self.anna]).isInitial)
    }
}
#endif
