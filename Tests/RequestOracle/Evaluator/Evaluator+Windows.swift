// Window functions: <https://sqlite.org/windowfunctions.html>.

/// The partition of a row, in the order of the window.
private struct Partition {
    /// The rows of each rank: peers are in one array.
    var peers: [[Env]]
    /// The position of the row in the partition, and of its peers among the groups.
    var position: Int
    var group: Int

    var rows: [Env] { peers.flatMap(\.self) }

    var groupRange: Range<Int> { range(ofGroup: group) }

    func range(ofGroup group: Int) -> Range<Int> {
        let start = peers[..<group].map(\.count).reduce(0, +)
        return start..<start + peers[group].count
    }

    /// Whether the order of the rows is determined.
    var isTotal: Bool { peers.allSatisfy { $0.count == 1 } }
}

extension Evaluator {
    private func partition(_ window: Window, _ env: Env) throws -> Partition {
        let collations = try window.partitions.map { try collation(of: $0) }
        if collations.contains(.unknown) { throw Undecided.ambiguous("the collation of a partition") }
        let key = { (row: Env) in
            try zip(window.partitions, collations).map { try self.evaluate($0, row).normal($1.candidates[0]) }
        }
        let own = try key(env)
        let members = try env.statement.filter { try key($0) == own || Mistake.current == .window }
        let peers = try sort(members, by: window.orders)
        let group = peers.firstIndex { $0.contains { $0.index == env.index } }!
        let start = peers[..<group].map(\.count).reduce(0, +)
        let position = start + peers[group].firstIndex { $0.index == env.index }!
        return Partition(peers: peers, position: position, group: group)
    }

    func evaluate(_ aggregate: Aggregate, _ window: Window, _ env: Env) throws -> Cell {
        let partition = try partition(window, env)
        let frame = try frame(window, partition, env)
        if !partition.isTotal, window.frame?.unit == .rows || aggregate.name == .groupConcat {
            throw Undecided.ambiguous("a frame of rows among peers")
        }
        if aggregate.name == .sum, let argument = aggregate.argument {
            // A sum that was once real stays real, as the frame moves.
            let kinds = try partition.rows.map { try evaluate(argument, $0) }.filter { !$0.isNull }
            if Set(try kinds.map { try $0.isWholeNumber }).count > 1 {
                throw Undecided.ambiguous("a moving sum of integers and real numbers")
            }
        }
        return try evaluate(aggregate, frame.map { partition.rows[$0] }, isWindow: true)
    }

    func evaluate(
        _ function: WindowFunction, _ arguments: [Expr], _ window: Window, _ env: Env
    ) throws -> Cell {
        let partition = try partition(window, env)
        let (rows, position, group) = (partition.rows, partition.position, partition.group)
        let groupRange = partition.groupRange
        let count = Double(rows.count)
        switch function {
        case .rank: return .integer(Int64(groupRange.lowerBound + 1))
        case .denseRank: return .integer(Int64(group + 1))
        case .percentRank: return .real(rows.count == 1 ? 0 : Double(groupRange.lowerBound) / (count - 1))
        case .cumulativeDistribution: return .real(Double(groupRange.upperBound) / count)
        case .rowNumber, .ntile, .lag, .lead:
            if !partition.isTotal { throw Undecided.ambiguous("the number of a row among peers") }
        case .firstValue, .lastValue, .nthValue:
            if !partition.isTotal { return try agreeing(function, arguments, window, partition, env) }
        }
        switch function {
        case .rowNumber: return .integer(Int64(position + 1))
        case .ntile:
            guard case .integer(let parts) = try evaluate(arguments[0], env), parts > 0 else {
                throw Undecided.uncomputed("an invalid number of parts")
            }
            return .integer(ntile(position, rows.count, Int(parts)))
        case .lag, .lead:
            guard case .integer(let offset) = try evaluate(arguments[1], env) else {
                throw Undecided.uncomputed("an invalid offset")
            }
            let other = position + (function == .lag ? -Int(offset) : Int(offset))
            return try rows.indices.contains(other)
                ? evaluate(arguments[0], rows[other]) : evaluate(arguments[2], env)
        default:
            let frame = try frame(window, partition, env)
            return try pick(function, arguments, frame, env).map { try evaluate(arguments[0], rows[$0]) } ?? .null
        }
    }

    /// The larger parts come first.
    private func ntile(_ position: Int, _ count: Int, _ parts: Int) -> Int64 {
        let (size, larger) = (count / parts, count % parts)
        if position < larger * (size + 1) { return Int64(position / (size + 1) + 1) }
        return Int64(larger + (position - larger * (size + 1)) / max(1, size) + 1)
    }

    /// Returns the position in the partition of the row that the function reads.
    private func pick(_ function: WindowFunction, _ arguments: [Expr], _ frame: [Int], _ env: Env) throws -> Int? {
        switch function {
        case .firstValue: return frame.first
        case .lastValue: return frame.last
        default:
            guard case .integer(let number) = try evaluate(arguments[1], env), number > 0 else {
                throw Undecided.uncomputed("an invalid position")
            }
            return number <= frame.count ? frame[Int(number) - 1] : nil
        }
    }

    /// Returns the value that the function has in any order of the peers.
    private func agreeing(
        _ function: WindowFunction, _ arguments: [Expr], _ window: Window, _ partition: Partition, _ env: Env
    ) throws -> Cell {
        guard window.frame?.unit != .rows, window.frame?.exclusion == nil || window.frame?.exclusion == .group,
            function != .nthValue
        else { throw Undecided.ambiguous("a frame of rows among peers") }
        let frame = try frame(window, partition, env)
        guard let position = try pick(function, arguments, frame, env) else { return .null }
        let group = partition.peers.indices.first { partition.range(ofGroup: $0).contains(position) }!
        let values = Set(try partition.peers[group].map { try evaluate(arguments[0], $0) })
        if values.count > 1 { throw Undecided.ambiguous("the first or the last of several peers") }
        return values.first!
    }

    // MARK: - Frames

    /// Returns the positions of the frame's rows in the partition.
    private func frame(_ window: Window, _ partition: Partition, _ env: Env) throws -> [Int] {
        let count = partition.rows.count
        let frame =
            window.frame
            ?? Window.Frame(unit: .range, start: .unboundedPreceding, end: .currentRow)
        let start: Int
        let end: Int
        switch frame.unit {
        case .rows:
            start = Self.bound(frame.start, partition.position, 0, count - 1)
            end = Self.bound(frame.end, partition.position, 0, count - 1)
        case .groups:
            let last = partition.peers.count - 1
            let first = Self.bound(frame.start, partition.group, 0, last)
            let final = Self.bound(frame.end, partition.group, 0, last)
            if first > final || first > last || final < 0 { return [] }
            start = partition.range(ofGroup: max(0, first)).lowerBound
            end = partition.range(ofGroup: min(last, final)).upperBound - 1
        case .range:
            start = try rangeBound(frame.start, window, partition, isStart: true)
            end = try rangeBound(frame.end, window, partition, isStart: false)
        }
        if start > end { return [] }
        let positions = (max(0, start)...max(0, end)).filter { $0 >= start && $0 <= end && $0 < count }
        return positions.filter { position in
            switch frame.exclusion {
            case nil: true
            case .currentRow: position != partition.position
            case .group: !partition.groupRange.contains(position)
            case .ties: position == partition.position || !partition.groupRange.contains(position)
            }
        }
    }

    private static func bound(_ bound: Window.Bound, _ current: Int, _ first: Int, _ last: Int) -> Int {
        switch bound {
        case .unboundedPreceding: first
        case .preceding(let offset): current - Int(offset)
        case .currentRow: current
        case .following(let offset): current + Int(offset)
        case .unboundedFollowing: last
        }
    }

    /// Returns the position of the first or the last row whose ORDER BY value is within the distance.
    private func rangeBound(
        _ bound: Window.Bound, _ window: Window, _ partition: Partition, isStart: Bool
    ) throws -> Int {
        let distance: Int64
        switch bound {
        case .unboundedPreceding: return 0
        case .unboundedFollowing: return partition.rows.count - 1
        case .currentRow:
            return isStart ? partition.groupRange.lowerBound : partition.groupRange.upperBound - 1
        case .preceding(let offset): distance = -offset
        case .following(let offset): distance = offset
        }
        let order = window.orders[0]
        let rows = partition.rows
        let values = try rows.map { try evaluate(order.term, $0) }
        let own = values[partition.position]
        // NULL, strings and blobs have no distance from others: the frame ends at the peers.
        guard own.isNumber else {
            return isStart ? partition.groupRange.lowerBound : partition.groupRange.upperBound - 1
        }
        let sign: Int64 = order.direction.isDescending ? -1 : 1
        let limit = try ArithmeticOperator.add(own, .integer(sign * distance))
        let positions = values.indices.filter { index in
            if !values[index].isNumber {
                return isStart
                    ? order.direction.sign(values[index], own, .binary) == .greater
                    : order.direction.sign(values[index], own, .binary) == .less
            }
            let comparison = order.direction.sign(values[index], limit, .binary)
            return isStart ? comparison != .less : comparison != .greater
        }
        return isStart ? positions.first ?? rows.count : positions.last ?? -1
    }
}
