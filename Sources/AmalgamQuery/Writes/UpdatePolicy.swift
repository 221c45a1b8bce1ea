public import AmalgamCore

/// A type that decides what happens when an update of its rows breaks a constraint.
public protocol _UpdateConflictPolicy: SendableMetatype {
    /// What happens, when the caller does not say.
    static var _updateConflictResolution: Database.ConflictResolution { get }
}
