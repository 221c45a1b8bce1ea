#if canImport(Combine) || OpenCombine
/// The namespace of the publishers of database accesses and observations.
///
/// ```swift
/// import Amalgam
/// import Combine      // or OpenCombine
///
/// let players: DatabasePublishers.Read<[Player]> = dbPool.readPublisher { db in
///     try Player.fetchAll(db)
/// }
/// let cancellable = players.sink { completion in
///     print(completion)
/// } receiveValue: { players in
///     print(players)
/// }
/// ```
///
/// A publisher does nothing until it receives demand. Publishers are available on systems with Combine. On other
/// systems, they are available to packages that enable the trait `OpenCombine` of Amalgam.
///
/// | publisher | made by | values |
/// | --- | --- | --- |
/// | ``Read`` | ``DatabaseReader/readPublisher(receiveOn:value:)`` | one |
/// | ``Write`` | ``DatabaseWriter/writePublisher(receiveOn:updates:)`` | one |
/// | `Migrate` | `DatabaseMigrator.migratePublisher(_:receiveOn:)` | one |
/// | `Value` | `publisher` of `ValueObservation` and `SharedValueObservation` | the initial value, and changed values |
/// | `DatabaseRegion` | `DatabaseRegionObservation.publisher(in:)` | one for each transaction |
///
/// Operators that combine several publishers combine values from different snapshots of the database. To get consistent
/// values, fetch them in one database access, or in one observation.
public enum DatabasePublishers {}
#endif
