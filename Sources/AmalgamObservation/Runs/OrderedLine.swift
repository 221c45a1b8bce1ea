import Synchronization

/// Puts results in the order in which they were asked for, whatever the order in which they come.
final class OrderedLine<Element: Sendable>: Sendable {
    struct Ticket: Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var lastTicket = 0
        var next = 1
        /// Places that are filled, some with nothing.
        var waiting: [Int: Element?] = [:]
    }

    private let state = Mutex(State())

    /// A place in the line.
    func reserve() -> Ticket {
        state.withLock { state in
            state.lastTicket += 1
            return Ticket(number: state.lastTicket)
        }
    }

    /// Fills a place, once.
    ///
    /// - Parameters:
    ///   - element: nil to give the place up.
    ///   - forward: gets the elements whose turn has come. It must be quick, and not use the line.
    func fill(_ ticket: Ticket, _ element: Element?, forward: (Element) -> Void) {
        state.withLock { state in
            guard ticket.number == state.next else {
                state.waiting[ticket.number] = .some(element)
                return
            }
            var turn: Element?? = element
            while let element = turn {
                state.next += 1
                if let element { forward(element) }
                turn = state.waiting.isEmpty ? nil : state.waiting.removeValue(forKey: state.next)
            }
        }
    }
}
