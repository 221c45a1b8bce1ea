import Dispatch

extension DispatchQoS {
    /// The quality of service with which a queue for work of this class is created.
    ///
    /// On Linux, queues of the same class share threads, so work that passes from one queue to another doesn't wake a
    /// thread. Most queues of applications have no class, so user-initiated queues are created without a class, too.
    /// This doesn't change their priority, unless the process may raise priorities.
    var ofQueues: DispatchQoS {
        #if os(Linux)
        qosClass == .userInitiated ? .unspecified : self
        #else
        self
        #endif
    }
}
