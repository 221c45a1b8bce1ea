public import AmalgamCore

/// A type that defines the conflict resolution of updates of its rows.
public protocol _UpdateConflictPolicy: SendableMetatype {
    /// The reaction, if the caller doesn't specify one.
    static var _updateConflictResolution: Database.ConflictResolution { get }
}
