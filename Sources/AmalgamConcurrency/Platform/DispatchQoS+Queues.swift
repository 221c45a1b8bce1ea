import Dispatch

extension DispatchQoS {
    /// The quality of service to create a queue with, in order to get this one.
    ///
    /// On Linux, queues of the same class share threads, so a value can pass from one queue to another without waking
    /// up a thread. Most queues of applications have no class. User-initiated queues have the same priority as those,
    /// unless the process may raise priorities, so they are created without a class as well.
    var ofQueues: DispatchQoS {
        #if os(Linux)
        qosClass == .userInitiated ? .unspecified : self
        #else
        self
        #endif
    }
}
