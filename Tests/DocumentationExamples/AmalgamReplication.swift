import Amalgam
import Logging
import ServiceLifecycle

let replica = Replica(url: "file:///Volumes/Backup/players")
nonisolated(unsafe) var service: ReplicationService! = nil
nonisolated(unsafe) var follower: Follower! = nil
nonisolated(unsafe) var playerPool: DatabasePool! = nil
nonisolated(unsafe) var gamePool: DatabasePool! = nil
