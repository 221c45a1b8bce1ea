import CAmalgam

/// A C object that has a pointer to a connection, and must be destroyed before the connection closes: a session, or a
/// changegroup that uses a schema.
///
/// The C object is destroyed when its Swift owner is released, or when the connection closes, whichever comes first. If
/// the owner is released on a thread without access to the connection, the C object is destroyed at the next access.
package final class ConnectionResource {
    // Only the thread that has access uses the properties. After the close, any thread may read `pointer`: it is nil.

    /// The C object, or nil after it is destroyed.
    private(set) var pointer: OpaquePointer?
    private let destroyPointer: (OpaquePointer) -> Void

    /// An object to which the C object has a pointer. It is retained until the C object is destroyed.
    package var dependency: AnyObject?
    private let resources: ConnectionResources

    package init(
        _ pointer: OpaquePointer, in resources: ConnectionResources, destroy: @escaping (OpaquePointer) -> Void
    ) {
        self.pointer = pointer
        destroyPointer = destroy
        self.resources = resources
        resources.insert(self)
    }

    package func destroy() {
        guard let pointer else { return }
        self.pointer = nil
        destroyPointer(pointer)
        dependency = nil
        resources.remove(self)
    }
}

/// The live resources of one connection.
package final class ConnectionResources {
    private var resources: [ObjectIdentifier: ConnectionResource] = [:]

    func insert(_ resource: ConnectionResource) { resources[ObjectIdentifier(resource)] = resource }

    func remove(_ resource: ConnectionResource) { resources[ObjectIdentifier(resource)] = nil }

    func destroyAll() {
        for resource in resources.values { resource.destroy() }
    }
}

extension Database {
    /// Destroys a resource after its owner was released: immediately if possible, otherwise at the next access.
    package func destroy(_ resource: ConnectionResource) {
        if mayStep && sqliteConnection != nil && !isRecordingSessions {
            resource.destroy()
        } else {
            access.deferredReleases.destroy(resource)
        }
    }

    var isRecordingSessions: Bool { hooks.pointer.map { amalgam_sessions_are_recording($0) != 0 } ?? false }

    /// Checks that sessions and changegroups may be used now.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, in callbacks that can't use the connection, and in the
    ///   function of a DEFAULT clause that a session evaluates while it records a change.
    package func checkMayUseResources() throws {
        try checkAccess()
        if isRecordingSessions { throw Self.isInsideHook(sql: nil) }
    }

    /// Returns the pointer of a resource.
    ///
    /// - Throws: `SQLITE_MISUSE` if the resource is destroyed, or can't be used now: see ``checkMayUseResources()``.
    package func pointer(_ resource: ConnectionResource) throws -> OpaquePointer {
        try checkMayUseResources()
        guard let pointer = resource.pointer else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The session is closed.")
        }
        return pointer
    }
}
