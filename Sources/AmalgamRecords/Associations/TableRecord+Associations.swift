import AmalgamCore
public import AmalgamQuery

extension TableRecord where Self: EncodableRecord {
    /// Returns a request for the rows associated with this record.
    ///
    /// ```swift
    /// let players = try team.request(for: Team.players).order(\.name).fetchAll(db)
    /// // SELECT * FROM "player" WHERE "teamId" = 1 ORDER BY "name"
    /// ```
    ///
    /// The request reads the joined columns from the record: `id` for `Team.players`, and `teamId` for `Player.team`.
    /// If the value of such a column is NULL, the request fetches no row. Fetching throws `SQLITE_MISUSE` if the record
    /// doesn't encode the column.
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
