import AmalgamCore

/// A relationship between two tables.
///
/// ```swift
/// struct Player: TableRecord {
///     static let team = belongsTo(Team.self)
/// }
///
/// struct Team: TableRecord {
///     static let players = hasMany(Player.self)
/// }
///
/// Player.including(required: Player.team)
/// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
/// ```
///
/// An association is refined like a request: `Team.players.filter { $0.score > 10 }.order(\.name)`.
public protocol Association: DerivableRequest, Sendable {
    /// The type of the rows that the association starts from.
    associatedtype OriginRowDecoder

    /// The way from one table to the other.
    var _path: _AssociationPath { get set }

    /// Gives the association another name, under which its rows are found. Associations of different names are joined
    /// each by itself.
    ///
    /// ```swift
    /// Team.including(all: Team.players.filter { $0.score > 10 }.forKey("bestPlayers"))
    /// ```
    func forKey(_ key: String) -> Self
}

extension Association {
    public var _relation: _Relation {
        get { _path.target.relation }
        set { _path.target.relation = newValue }
    }

    /// Gives the association the name of a coding key.
    public func forKey(_ codingKey: some CodingKey) -> Self { forKey(codingKey.stringValue) }

    func with(key: AssociationKey) -> Self {
        var association = self
        association._path.target.key = key
        return association
    }
}

/// An association to one row at most.
public protocol AssociationToOne: Association {}

extension AssociationToOne {
    public func forKey(_ key: String) -> Self { with(key: .fixedSingular(key)) }
}

/// An association to any number of rows.
public protocol AssociationToMany: Association {}

extension AssociationToMany {
    public func forKey(_ key: String) -> Self { with(key: .fixedPlural(key)) }
}
