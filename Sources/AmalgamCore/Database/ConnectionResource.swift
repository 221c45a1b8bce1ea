import CAmalgam

/// An object of SQLite that uses a connection beyond the calls it is used in, and must be destroyed before the
/// connection closes: a session, or a changegroup that knows a schema.
///
/// It is destroyed by whichever comes first: its Swift owner is released, or the connection closes. A resource that
/// is released on a thread without access to the connection waits for the next access, as statements do.
package final class ConnectionResource {
    // Used by the thread that has access to the connection, or once the connection is closed and the pointer is gone.

    /// The C object; nil once it is destroyed.
    private(set) var pointer: OpaquePointer?
    private let destroyPointer: (OpaquePointer) -> Void

    /// What the C object has a pointer to: it lives as long as the C object does.
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

/// The resources that are alive on one connection.
package final class ConnectionResources {
    private var resources: [ObjectIdentifier: ConnectionResource] = [:]

    func insert(_ resource: ConnectionResource) { resources[ObjectIdentifier(resource)] = resource }

    func remove(_ resource: ConnectionResource) { resources[ObjectIdentifier(resource)] = nil }

    func destroyAll() {
        for resource in resources.values { resource.destroy() }
    }
}

extension Database {
    /// Destroys a resource whose owner is gone, now or at the next access.
    package func destroy(_ resource: ConnectionResource) {
        if mayStep && sqliteConnection != nil && !isRecordingSessions {
            resource.destroy()
        } else {
            access.deferredReleases.destroy(resource)
        }
    }

    var isRecordingSessions: Bool { hooks.pointer.map { amalgam_sessions_are_recording($0) != 0 } ?? false }

    /// Throws where a resource must not be used.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of an access, in callbacks that can't use the connection, and while sessions record
    ///   a change: their statements may call functions of DEFAULT clauses.
    package func checkMayUseResources() throws {
        try checkAccess()
        if isRecordingSessions { throw Self.isInsideHook(sql: nil) }
    }

    /// The pointer of a resource, for the thread that has access.
    package func pointer(_ resource: ConnectionResource) throws -> OpaquePointer {
        try checkMayUseResources()
        guard let pointer = resource.pointer else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The session is closed.")
        }
        return pointer
    }
}
