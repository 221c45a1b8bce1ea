import Amalgam
import Foundation

/// Compares the rows of many requests with those of the evaluator and of the system's SQLite.
struct Search {
    /// A request whose rows differ.
    struct Difference {
        var seed: UInt64
        var index: Int
        var oracle: Coverage.Oracle
        var reason: String
        var query: Case
    }

    private(set) var coverage = Coverage()
    private(set) var differences: [Difference] = []
    private let hasSystem: Bool
    /// Statements that the system's SQLite is asked for.
    private var pending: [Pending] = []

    private struct Pending {
        var seed: UInt64
        var tables: [String]
        var questions: [Question] = []
    }

    private struct Question {
        var index: Int
        var query: Case
        var sql: String
        var answer: Answer?
        /// The library's rows, where the evaluator doesn't know them.
        var rows: [String]
        var features: Set<String>
    }

    init(hasSystem: Bool) { self.hasSystem = hasSystem }

    /// Runs the requests of a seed.
    mutating func run(seed: UInt64) throws {
        let cases = Case.all(seed: seed)
        var pending = Pending(seed: seed, tables: cases[0].world.tables.flatMap(\.sql))
        try cases[0].withDatabase { db in
            for (index, query) in cases.enumerated() {
                if let question = compare(query, seed: seed, index: index, db) { pending.questions.append(question) }
            }
            compareTyped(seed: seed, db)
        }
        if hasSystem { self.pending.append(pending) }
    }

    private mutating func compareTyped(seed: UInt64, _ db: Database) {
        let typed = TypedCase(seed: seed)
        coverage.count("typed requests")
        var reason: String?
        do {
            reason = try typed.difference(db)
        } catch {
            reason = "\(error)"
        }
        if let reason {
            // The program of a typed case is the text of its condition.
            differences.append(
                Difference(seed: seed, index: -1, oracle: .swift, reason: "\(typed): \(reason)", query: Case.empty))
        } else if !typed.isEmpty {
            coverage.count(typed.features, .swift)
        }
    }

    private mutating func compare(_ query: Case, seed: UInt64, index: Int, _ db: Database) -> Question? {
        coverage.count("requests")
        let features = Features(query.query).names
        var answer: Answer?
        var isOpen = false
        switch query.answer() {
        case .success(let known): answer = known
        case .failure(let undecided):
            if case Undecided.ambiguous = undecided { isOpen = true }
            coverage.undecided["\(undecided)", default: 0] += 1
        }
        do {
            let fetched = try query.fetch(db, answer)
            if let answer {
                coverage.count("compared")
                if let reason = query.difference(answer, fetched) {
                    differences.append(
                        Difference(seed: seed, index: index, oracle: .swift, reason: reason, query: query))
                    return nil
                }
                if !fetched.rows.isEmpty { coverage.count(features, .swift) }
            }
            if isOpen || fetched.isPrefetched || !features.isDisjoint(with: Features.systemErrors) { return nil }
            if answer == nil && query.hasLimit { return nil }
            return Question(
                index: index, query: query, sql: fetched.statements[0], answer: answer?.flattened,
                rows: fetched.flatRows, features: features)
        } catch {
            coverage.count("refused")
            // SQLite refuses what the evaluator doesn't compute: an integer overflow. Everything else has rows.
            let isOverflow = (error as? DatabaseError)?.message == "integer overflow"
            if answer != nil || (isOpen && !isOverflow) {
                differences.append(
                    Difference(seed: seed, index: index, oracle: .swift, reason: "\(error)", query: query))
            }
            return nil
        }
    }

    /// Asks the system's SQLite for the rows of all statements since the last call.
    mutating func finishBatch() throws {
        defer { pending = [] }
        if pending.isEmpty { return }
        let batches = pending.map { SystemSQLite.Batch(tables: $0.tables, statements: $0.questions.map(\.sql)) }
        for (seed, replies) in zip(pending, try SystemSQLite.run(batches)) {
            for (question, reply) in zip(seed.questions, replies) {
                switch reply {
                // The system's version lacks a function.
                case .error: coverage.count("unknown to the system's SQLite")
                case .rows(let rows): compare(question, rows, seed: seed.seed)
                }
            }
        }
    }

    private mutating func compare(_ question: Question, _ rows: [[Cell]], seed: UInt64) {
        coverage.count("compared with the system's SQLite")
        let reason: String?
        if let answer = question.answer {
            reason = answer.difference(from: rows.map { Output(cells: $0).text(answer.folds) })
        } else {
            let none = [Collation?](repeating: nil, count: rows.first?.count ?? 0)
            let texts = rows.map { Output(cells: $0).text(none) }
            reason = texts.sorted() == question.rows.sorted() ? nil : "the rows \(texts) instead of \(question.rows)"
        }
        if let reason {
            differences.append(
                Difference(seed: seed, index: question.index, oracle: .system, reason: reason, query: question.query))
        } else if !rows.isEmpty {
            coverage.count(question.features, .system)
        }
    }
}

extension Answer {
    /// The rows as the statement returns them: the columns of joined tables follow those of the first table.
    var flattened: Answer {
        var answer = self
        answer.ties = ties.map { $0.map { Output(cells: $0.allCells) } }
        let count = answer.ties.first?.first?.cells.count ?? folds.count
        answer.folds += [Collation?](repeating: nil, count: max(0, count - folds.count))
        return answer
    }
}

extension Output {
    var allCells: [Cell] { cells + scopes.flatMap(\.row.allCells) }
}
