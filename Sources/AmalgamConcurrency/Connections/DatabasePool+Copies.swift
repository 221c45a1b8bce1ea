package import AmalgamCore

/// What other modules need to copy the file of a pool, on a connection next to those of the pool.
extension DatabasePool {
    /// The file that all connections of the pool have open; nil if the database is temporary or in memory.
    package var file: DatabaseFile? { writer.file }

    /// The interrupter of the writing connection. A connection that copies the file follows it.
    package var interrupter: Interrupter { writer.interrupter }
}
