import Amalgam

extension RequestBuilder {
    func aggregate(_ aggregate: Aggregate, _ source: Int) -> SQLExpression {
        guard let argument = aggregate.argument.map({ expression($0, source) }) else {
            return aggregate.filter.map { count(filter: expression($0, source)) } ?? count()
        }
        let filter = aggregate.filter.map { expression($0, source) }
        switch aggregate.name {
        case .count where aggregate.isDistinct:
            return filter.map { count(distinct: argument, filter: $0) } ?? count(distinct: argument)
        case .count: return filter.map { count(argument, filter: $0) } ?? count(argument)
        case .sum: return filter.map { sum(argument, filter: $0) } ?? sum(argument)
        case .total: return filter.map { total(argument, filter: $0) } ?? total(argument)
        case .average: return filter.map { average(argument, filter: $0) } ?? average(argument)
        case .min: return filter.map { min(argument, filter: $0) } ?? min(argument)
        case .max: return filter.map { max(argument, filter: $0) } ?? max(argument)
        case .groupConcat:
            return groupConcat(argument, orderBy: aggregate.order.map { ordering($0, source) }, filter: filter)
        }
    }

    func call(_ function: WindowFunction, _ arguments: [SQLExpression]) -> SQLWindowFunction {
        switch function {
        case .rowNumber: rowNumber()
        case .rank: rank()
        case .denseRank: denseRank()
        case .percentRank: percentRank()
        case .cumulativeDistribution: cumulativeDistribution()
        case .ntile: ntile(arguments[0])
        case .lag: lag(arguments[0], arguments[1], default: arguments[2])
        case .lead: lead(arguments[0], arguments[1], default: arguments[2])
        case .firstValue: firstValue(arguments[0])
        case .lastValue: lastValue(arguments[0])
        case .nthValue: nthValue(arguments[0], arguments[1])
        }
    }

    func window(_ window: Window, _ source: Int) -> SQLWindow {
        SQLWindow(
            partitionBy: window.partitions.map { expression($0, source) },
            orderBy: window.orders.map { ordering($0, source) }, frame: window.frame.map(frame))
    }

    private func frame(_ frame: Window.Frame) -> SQLWindowFrame {
        let (start, end) = (bound(frame.start), bound(frame.end))
        let exclusion: SQLWindowFrame.Exclusion? =
            switch frame.exclusion {
            case .currentRow: .currentRow
            case .group: .group
            case .ties: .ties
            case nil: nil
            }
        return switch frame.unit {
        case .rows: .rows(from: start, to: end, excluding: exclusion)
        case .range: .range(from: start, to: end, excluding: exclusion)
        case .groups: .groups(from: start, to: end, excluding: exclusion)
        }
    }

    private func bound(_ bound: Window.Bound) -> SQLWindowFrame.Bound {
        switch bound {
        case .unboundedPreceding: .unboundedPreceding
        case .preceding(let offset): .preceding(offset)
        case .currentRow: .currentRow
        case .following(let offset): .following(offset)
        case .unboundedFollowing: .unboundedFollowing
        }
    }
}
