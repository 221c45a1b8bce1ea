// Changesets that SQLite applies with its own statements.
extension ObservationBroker {
    /// Starts reporting the row changes that SQLite makes by its own statements while it applies a changeset.
    func beginApplication() {
        applicationSavepoints.append(savepoints.count)
        beginUnattributedRun()
    }

    func endApplication() {
        applicationSavepoints.removeLast()
        endRun()
    }

    /// Whether a statement preserves the transaction and the savepoints in which a changeset is being applied.
    func preservesApplication(_ effect: TransactionEffect) -> Bool {
        guard let count = applicationSavepoints.last else { return true }
        switch effect {
        case .begin, .savepoint: return true
        case .commit, .rollback: return false
        case .release(let name), .rollbackTo(let name): return index(ofSavepoint: name).map { $0 >= count } ?? true
        }
    }

    /// Called when SQLite begins or ends a savepoint while it applies a changeset.
    func savepointWillChange(_ operation: String, _ name: String) {
        switch operation {
        case "BEGIN": savepointsDidChange(.savepoint(name), wasInsideTransaction: database.isInsideTransaction)
        case "RELEASE": savepointsDidChange(.release(name), wasInsideTransaction: true)
        default: savepointsDidChange(.rollbackTo(name), wasInsideTransaction: true)
        }
    }
}
