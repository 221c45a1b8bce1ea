import AmalgamCore

/// A relationship between two tables, with which requests join tables and fetch associated rows.
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
/// Associations have the methods of requests: `Team.players.filter { $0.score > 10 }.order(\.name)`.
public protocol Association: DerivableRequest, Sendable {
    /// The type of the rows from which the association starts.
    associatedtype OriginRowDecoder

    /// The path from one table to the other.
    var _path: _AssociationPath { get set }

    /// Returns the association with a different key. The key is the name under which a fetched row contains the
    /// associated rows. Associations with different keys are joined separately.
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

    /// Returns the association with the name of a coding key as its key.
    public func forKey(_ codingKey: some CodingKey) -> Self { forKey(codingKey.stringValue) }

    func with(key: AssociationKey) -> Self {
        var association = self
        association._path.target.key = key
        return association
    }
}

/// An association to at most one row.
///
/// ```swift
/// struct Player: TableRecord {
///     static let team = belongsTo(Team.self)
/// }
///
/// Player.including(optional: Player.team)
/// ```
public protocol AssociationToOne: Association {}

extension AssociationToOne {
    public func forKey(_ key: String) -> Self { with(key: .fixedSingular(key)) }
}

/// An association to any number of rows.
///
/// ```swift
/// struct Team: TableRecord {
///     static let players = hasMany(Player.self)
/// }
///
/// Team.including(all: Team.players)
/// ```
public protocol AssociationToMany: Association {}

extension AssociationToMany {
    public func forKey(_ key: String) -> Self { with(key: .fixedPlural(key)) }
}
