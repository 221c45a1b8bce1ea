import Dispatch

extension DispatchQoS {
    /// What a queue is made with, in order to have this quality of service.
    ///
    /// On Linux, queues of one class share threads, so that a value which goes from one queue to the next need not wait until
    /// another thread wakes up. Most queues of applications have no class. User-initiated ones have the same priority, unless the
    /// process may raise priorities: so they are made without a class, too.
    var ofQueues: DispatchQoS {
        #if os(Linux)
        qosClass == .userInitiated ? .unspecified : self
        #else
        self
        #endif
    }
}
