#if !Replication || !(os(Linux) || os(macOS))
// Without the trait, the types exist so that the compiler says what to do.

/// Needs the trait `Replication` of the package, on Linux or macOS. A use doesn't compile without it.
@available(*, unavailable, message: "On Linux and macOS, enable the trait: .package(url: …, traits: [\"Replication\"])")
public struct ReplicationService {}

/// Needs the trait `Replication` of the package, on Linux or macOS. A use doesn't compile without it.
@available(*, unavailable, message: "On Linux and macOS, enable the trait: .package(url: …, traits: [\"Replication\"])")
public struct Replica {}

/// Needs the trait `Replication` of the package, on Linux or macOS. A use doesn't compile without it.
@available(*, unavailable, message: "On Linux and macOS, enable the trait: .package(url: …, traits: [\"Replication\"])")
public struct Follower {}
#endif
