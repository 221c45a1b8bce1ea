#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread-local object, which is set while a closure runs.
package struct ThreadLocal<Value: AnyObject>: @unchecked Sendable {
    // Sendable: the key never changes, and each thread has a separate value for it.
    private let key: pthread_key_t

    package init() {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        require(code == 0, "the process has no room for another thread-specific key")
        self.key = key
    }

    package var value: Value? {
        pthread_getspecific(key).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
    }

    package func withValue<T>(_ value: Value, _ body: () throws -> T) rethrows -> T {
        let previous = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(value).toOpaque())
        defer { pthread_setspecific(key, previous) }
        return try body()
    }
}
