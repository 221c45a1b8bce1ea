public import AmalgamCore

/// A type that defines the conflict resolution of updates of its rows.
public protocol _UpdateConflictPolicy: SendableMetatype {
    /// The conflict resolution of an UPDATE statement for which the caller specifies none.
    static var _updateConflictResolution: Database.ConflictResolution { get }
}
