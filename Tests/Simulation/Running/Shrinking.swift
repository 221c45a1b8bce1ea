extension Program {
    /// Leaves out steps, statements and rows while the program fails.
    ///
    /// - Parameter fails: whether a program fails. It is called some hundred times.
    package func shrunk(while fails: (Program) -> Bool) -> Program {
        var program = self
        program.steps = Self.shrunk(steps) { steps in
            fails(Program(options: program.options, steps: steps))
        }
        var isShorter = true
        while isShorter {
            isShorter = false
            for candidate in program.simpler where fails(candidate) {
                program = candidate
                isShorter = true
                break
            }
        }
        return program
    }

    /// Leaves out elements in halves, quarters and so on, as delta debugging does.
    private static func shrunk<Element>(_ elements: [Element], while fails: ([Element]) -> Bool) -> [Element] {
        var elements = elements
        var length = max(1, elements.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < elements.count {
                let end = min(start + length, elements.count)
                let candidate = Array(elements[..<start] + elements[end...])
                if fails(candidate) {
                    elements = candidate
                    isShorter = true
                } else {
                    start = end
                }
            }
            if length == 1 && !isShorter { return elements }
            length = max(1, length / 2)
        }
    }

    /// Programs that are simpler by one part.
    private var simpler: [Program] {
        var programs: [Program] = []
        for option in options.simpler { programs.append(Program(options: option, steps: steps)) }
        for index in steps.indices {
            for step in steps[index].simpler {
                var program = self
                program.steps[index] = step
                programs.append(program)
            }
        }
        return programs
    }
}

extension World.Options {
    fileprivate var simpler: [World.Options] {
        var list: [World.Options] = []
        func add(_ change: (inout World.Options) -> Void) {
            var options = self
            change(&options)
            list.append(options)
        }
        if let audited {
            add { $0.audited = nil }
            if audited.count > 1 { for name in audited { add { $0.audited = audited.filter { $0 != name } } } }
        }
        if isPool { add { $0.isPool = false } }
        if isSecondPool { add { $0.isSecondPool = false } }
        return list
    }
}

extension Step {
    /// Steps that are simpler by one part.
    fileprivate var simpler: [Step] {
        switch self {
        case .write(let transaction): transaction.simpler.map(Step.write)
        case .perform(let transaction): [.write(transaction)] + transaction.simpler.map(Step.perform)
        case .suspended(let transaction): transaction.simpler.map(Step.suspended)
        case .changeset(let transaction): [.write(transaction)] + transaction.simpler.map(Step.changeset)
        case .cancelled(let transaction, let awaits): transaction.simpler.map { .cancelled($0, awaits: awaits) }
        case .faulty(let transaction, let fault, let n):
            [.write(transaction)] + transaction.simpler.map { .faulty($0, fault, n: n) }
        case .otherProcess(let transactions):
            transactions.dropped.map(Step.otherProcess)
                + transactions.replaced(\.simpler).map(Step.otherProcess)
        case .killed(let transactions, let count):
            transactions.dropped.map { .killed($0, after: count) }
        case .overlap(let writers, let readers):
            writers.replaced(\.dropped).map { .overlap(writers: $0, readers: readers) }
                + readers.replaced(\.dropped).map { .overlap(writers: writers, readers: $0) }
                + writers.replaced { $0.replaced(\.simpler) }.map { .overlap(writers: $0, readers: readers) }
        default: []
        }
    }
}

extension Transaction {
    fileprivate var simpler: [Transaction] {
        var list = parts.dropped.map { parts in
            var transaction = self
            transaction.parts = parts
            return transaction
        }
        for parts in parts.replaced(\.simpler) {
            var transaction = self
            transaction.parts = parts
            list.append(transaction)
        }
        if kind != .transaction {
            var transaction = self
            transaction.kind = .transaction
            list.append(transaction)
        }
        return list
    }
}

extension Transaction.Part {
    fileprivate var simpler: [Transaction.Part] {
        switch self {
        case .statement(let statement): statement.simpler.map(Transaction.Part.statement)
        case .savepoint(let statements, let isRolledBack):
            statements.dropped.map { .savepoint($0, isRolledBack: isRolledBack) }
                + statements.replaced(\.simpler).map { .savepoint($0, isRolledBack: isRolledBack) }
                + (statements.count == 1 && !isRolledBack ? [.statement(statements[0])] : [])
        }
    }
}

extension Statement {
    fileprivate var simpler: [Statement] {
        var list: [Statement] = []
        func add(_ change: (inout Statement) -> Void) {
            var statement = self
            change(&statement)
            list.append(statement)
        }
        switch change {
        case .insert(let rows): if rows.count > 1 { for rows in rows.dropped { add { $0.change = .insert(rows) } } }
        case .upsert(let rows, let column):
            if rows.count > 1 { for rows in rows.dropped { add { $0.change = .upsert(rows, column: column) } } }
        case .update(let assignments, let condition):
            if assignments.count > 1 {
                for assignments in assignments.dropped { add { $0.change = .update(assignments, condition) } }
            }
        case .delete: break
        }
        if form != .literals { add { $0.form = .literals } }
        if isReturning { add { $0.isReturning = false } }
        if conflict != nil { add { $0.conflict = nil } }
        return list
    }
}

extension Array {
    /// Arrays that lack one element each.
    fileprivate var dropped: [[Element]] {
        indices.map { index in
            var copy = self
            copy.remove(at: index)
            return copy
        }
    }

    /// Arrays in which one element is another one.
    fileprivate func replaced(_ others: (Element) -> [Element]) -> [[Element]] {
        indices.flatMap { index in
            others(self[index]).map { other in
                var copy = self
                copy[index] = other
                return copy
            }
        }
    }
}
