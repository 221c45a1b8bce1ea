import AmalgamCore
import Synchronization

/// Forwards elements in the order of their tickets, whatever the order in which the elements come.
///
/// One thread at a time forwards elements, without the lock: a thread that fills a ticket while another one forwards leaves
/// its element to that thread. So the closure that receives the elements may do anything, also use the buffer.
final class ReorderBuffer<Element: Sendable>: Sendable {
    struct Ticket: Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var lastTicket = 0
        /// The ticket whose turn has come.
        var next = 1
        /// The elements of filled tickets whose turn has not come. Nil for a cancelled ticket.
        var waiting: [Int: Element?] = [:]
        var isForwarding = false

        /// The next element to forward, by the calling thread. Nil ends the forwarding.
        mutating func popNext() -> Element? {
            while !waiting.isEmpty, let element = waiting.removeValue(forKey: next) {
                next += 1
                guard let element else { continue }
                isForwarding = true
                return element
            }
            isForwarding = false
            return nil
        }
    }

    private let state = RankedMutex(.orderedValues, State())

    /// Reserves the next position.
    func reserve() -> Ticket {
        state.withLock { state in
            state.lastTicket += 1
            return Ticket(number: state.lastTicket)
        }
    }

    /// Fills a ticket, once.
    ///
    /// - Parameters:
    ///   - element: nil to cancel the ticket.
    ///   - forward: receives the elements whose turn has come, those of other tickets included.
    func fill(_ ticket: Ticket, _ element: Element?, forward: (Element) -> Void) {
        var turn = state.withLock { state in
            state.waiting[ticket.number] = .some(element)
            return state.isForwarding ? nil : state.popNext()
        }
        while let element = turn {
            forward(element)
            turn = state.withLock { $0.popNext() }
        }
    }
}
