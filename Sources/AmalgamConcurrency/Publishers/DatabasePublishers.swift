#if canImport(Combine) || OpenCombine
/// The types of the publishers that give access to a database.
///
/// ```swift
/// import Amalgam
/// import Combine      // OpenCombine where there is no Combine
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
/// Publishers do nothing before there is demand for a value. They are there on systems that have Combine, and elsewhere on
/// OpenCombine, for packages that enable the trait `OpenCombine` of Amalgam.
///
/// | publisher | made by | values |
/// | --- | --- | --- |
/// | ``Read`` | ``DatabaseReader/readPublisher(receiveOn:value:)`` | one |
/// | ``Write`` | ``DatabaseWriter/writePublisher(receiveOn:updates:)`` | one |
/// | `Migrate` | `DatabaseMigrator.migratePublisher(_:receiveOn:)` | one |
/// | `Value` | `publisher` of `ValueObservation` and `SharedValueObservation` | the first one, and fresh ones |
/// | `DatabaseRegion` | `DatabaseRegionObservation.publisher(in:)` | one for each transaction |
///
/// Values of several publishers that operators bring together are of different states of the database. What must be
/// consistent is fetched by one access, or by one observation.
public enum DatabasePublishers {}
#endif
