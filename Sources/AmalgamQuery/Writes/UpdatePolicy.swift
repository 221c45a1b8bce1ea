public import AmalgamCore

/// A type that defines the reaction to constraints that updates of its rows violate.
public protocol _UpdateConflictPolicy: SendableMetatype {
    /// The reaction, if the caller doesn't specify one.
    static var _updateConflictResolution: Database.ConflictResolution { get }
}
