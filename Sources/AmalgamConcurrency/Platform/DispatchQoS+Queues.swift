import Dispatch

extension DispatchQoS {
    /// The quality of service to give to a new dispatch queue for work of this class.
    ///
    /// On Linux, a user-initiated queue is created without a class, like most queues of applications. Queues of the
    /// same class share threads there, so work that passes from one queue to another doesn't wake a thread. The missing
    /// class doesn't change the priority of the queue, unless the process may raise priorities.
    var ofQueues: DispatchQoS {
        #if os(Linux)
        qosClass == .userInitiated ? .unspecified : self
        #else
        self
        #endif
    }
}
