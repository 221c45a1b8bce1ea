import Amalgam
import Foundation
// The names that the examples of AmalgamObservation use without declaring them. See Prelude.swift.

nonisolated(unsafe) var observation: ValueObservation<ValueReducers.Fetch<[Player]>>! = nil
nonisolated(unsafe) var shared: SharedValueObservation<[Player]>! = nil
nonisolated(unsafe) var difference: ListDifference<Player>! = nil
nonisolated(unsafe) var observer: ListObserver<Player>! = nil
let oldPlayers: [Player] = [], newPlayers: [Player] = []

// The views of an application, with the names of UIKit.
@MainActor let tableView = TableView()
@MainActor final class TableView {
    enum RowAnimation { case automatic }
    func performBatchUpdates(_ updates: () -> Void) {}
    func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
}
#if os(Linux)
extension IndexPath { init(row: Int, section: Int) { self.init(indexes: [section, row]) } }
#endif
