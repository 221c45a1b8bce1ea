import AmalgamCore
import Synchronization

/// A buffer that forwards elements in the order of their tickets. A ticket is a position that was reserved before.
///
/// One thread at a time forwards elements, without holding the lock. If a thread fills a ticket while another thread is
/// forwarding, the other thread also forwards the new element. The closure that receives elements may use the buffer.
final class ReorderBuffer<Element: Sendable>: Sendable {
    struct Ticket: Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var lastTicket = 0
        /// The number of the next ticket to forward.
        var next = 1
        /// The elements of filled tickets that can't be forwarded yet. Nil for a cancelled ticket.
        var waiting: [Int: Element?] = [:]
        var isForwarding = false

        /// Removes and returns the next element, which the calling thread must forward. If the result is nil, the
        /// thread must stop forwarding.
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

    /// Fills a ticket, a reserved position. Forwards all elements that don't wait for an earlier ticket any more. Each
    /// ticket must be filled once.
    ///
    /// - Parameters:
    ///   - element: the element, or nil to cancel the ticket.
    ///   - forward: receives each element that can be forwarded now, including elements of other tickets.
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
