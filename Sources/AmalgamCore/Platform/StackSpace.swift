import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The stack of the current thread, for code that recurs as deeply as its input is nested. Types that are decoded may need
/// any amount of stack for each level, and threads have stacks of any size: 512 KB on Apple platforms, except for the main
/// thread.
package struct StackSpace {
    /// The depth from which the stack is checked. Fewer levels fit into the stack of any thread.
    package static let checkedDepth = 8

    /// The bytes that the next levels may need until they are checked.
    private static let reserve: UInt = 48 << 10

    /// The addresses of the stack that was checked last. The lowest bytes are a guard on some platforms.
    private var bounds: ClosedRange<UInt>?

    package init() {}

    /// Returns whether the current thread has enough space for another level. Returns true if the platform doesn't tell.
    package mutating func hasSpace() -> Bool { remaining().map { $0 > Self.reserve } ?? true }

    /// Returns the bytes of the stack that the current thread hasn't taken; nil if the platform doesn't tell.
    mutating func remaining() -> UInt? {
        var local = 0
        let address = withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
        // A decoder may move to another thread.
        if bounds?.contains(address) != true { bounds = Self.current }
        guard let bounds, bounds.contains(address) else { return nil }
        return address - bounds.lowerBound
    }

    /// The addresses of the current thread's stack.
    private static var current: ClosedRange<UInt>? {
        #if canImport(Darwin)
        let end = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
        return end - UInt(pthread_get_stacksize_np(pthread_self()))...end
        #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
        guard let getAttributes else { return nil }
        return withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            guard let attributes = attributes.baseAddress, getAttributes(pthread_self(), attributes) == 0 else {
                return nil
            }
            defer { pthread_attr_destroy(attributes) }
            var start: UnsafeMutableRawPointer?
            var size = 0
            guard pthread_attr_getstack(attributes, &start, &size) == 0 else { return nil }
            let address = UInt(bitPattern: start)
            return address...address + UInt(size)
        }
        #else
        return nil
        #endif
    }

    #if canImport(Glibc) || canImport(Musl) || canImport(Android)
    private typealias GetAttributes =
        @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt

    /// `pthread_getattr_np`, an extension that the headers hide.
    private static let getAttributes = dlsym(nil, "pthread_getattr_np").map {
        unsafeBitCast($0, to: GetAttributes.self)
    }
    #endif
}
