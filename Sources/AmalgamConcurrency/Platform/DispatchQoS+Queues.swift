import Dispatch

extension DispatchQoS {
    /// The quality of service to give to a new dispatch queue for work of this class.
    ///
    /// On Linux, the class `userInitiated` is replaced with `unspecified`, the class of most queues of applications.
    /// There, queues of the same class share threads, so work that passes from a queue of the application to the new
    /// queue doesn't wake a thread. Both classes run at the same priority, unless the process has the right to raise
    /// the priority of its threads.
    var ofQueues: DispatchQoS {
        #if os(Linux)
        qosClass == .userInitiated ? .unspecified : self
        #else
        self
        #endif
    }
}
