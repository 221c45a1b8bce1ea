import AmalgamCore
public import AmalgamQuery

extension TableRecord where Self: EncodableRecord {
    /// The rows that an association reaches from this record.
    ///
    /// ```swift
    /// let players = try team.request(for: Team.players).order(\.name).fetchAll(db)
    /// // SELECT * FROM "player" WHERE "teamId" = 1 ORDER BY "name"
    /// ```
    ///
    /// A record whose foreign key is NULL reaches no row. Fetching throws when the record does not encode the columns
    /// of the foreign key.
    public func request<A: Association>(for association: A) -> QueryInterfaceRequest<A.RowDecoder>
    where A.OriginRowDecoder == Self {
        let values = Result { try databaseDictionary }
        let table = Self.databaseTableName
        return QueryInterfaceRequest(for: association) { columns in
            let known = Dictionary(
                try values.get().map { (TableName($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
            return try columns.map { column in
                if let value = known[TableName(column)] { return value }
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "the record of table \(table) does not encode the column \(column) of the foreign key")
            }
        }
    }
}
