import AmalgamCore

/// The names of the tables in a statement.
///
/// - A table with a named alias, `TableAlias(name: "p")`, has the name of the alias.
/// - Any other table that occurs once in the statement keeps its name.
/// - Tables that occur several times are numbered in the order of the statement: `"player1"`, `"player2"`.
/// - A table is also numbered if an alias of another table has its name.
/// - A table of a subquery is also numbered if its name would hide a table of the outer statement to which the subquery
///   refers.
struct TableNames {
    private var names: [String] = []
    private var position = 0

    /// Whether columns are qualified with the names of their tables.
    let areQualified: Bool

    /// - Parameter takenNames: the names that the tables can't have.
    init(_ relation: Relation, takenNames: Set<TableName>) throws {
        var tables: [(name: TableName, userName: String?)] = []
        try Self.collect(relation, &tables)
        names = try Self.names(tables, takenNames)
        areQualified = tables.count > 1 || tables[0].userName != nil || TableName(names[0]) != tables[0].name
    }

    /// Returns the name of the next table.
    mutating func next() -> String {
        defer { position += 1 }
        return names[position]
    }

    private static func collect(
        _ relation: Relation, _ tables: inout [(name: TableName, userName: String?)]
    ) throws {
        tables.append((TableName(relation.source.name), try userName(relation.aliases)))
        for join in relation.joins where join.isJoined { try collect(join.relation, &tables) }
    }

    /// Returns the name that the application has given to the aliases of a table; nil if no alias has a name.
    private static func userName(_ aliases: [TableAliasBase]) throws -> String? {
        let names = aliases.compactMap(\.userName)
        for name in names.dropFirst() where TableName(name) != TableName(names[0]) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "one table has two aliases: \(names[0]) and \(name)")
        }
        return names.first
    }

    private static func names(
        _ tables: [(name: TableName, userName: String?)], _ takenNames: Set<TableName>
    ) throws -> [String] {
        var taken = takenNames
        for userName in tables.compactMap(\.userName) where !taken.insert(TableName(userName)).inserted {
            let advice =
                takenNames.contains(TableName(userName))
                ? ". A subquery refers to a table of this name in the statement around it: give one of both another name."
                : ""
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "ambiguous alias: \(userName)\(advice)")
        }
        var occurrences: [TableName: Int] = [:]
        for table in tables where table.userName == nil { occurrences[table.name, default: 0] += 1 }
        let keepsName = { (name: TableName) in occurrences[name] == 1 && !taken.contains(name) }
        let unnumbered = Set(occurrences.keys.filter(keepsName))
        var numbered = taken.union(unnumbered)
        return tables.map { table in
            if let userName = table.userName { return userName }
            if unnumbered.contains(table.name) { return table.name.spelling }
            return nextName(table.name.spelling, &numbered)
        }
    }

    /// Returns the first free name of `player1`, `player2`…
    private static func nextName(_ name: String, _ taken: inout Set<TableName>) -> String {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let radical = digits == name.count ? name : String(name.dropLast(digits))
        var number = 1
        while true {
            let candidate = radical + String(number)
            if taken.insert(TableName(candidate)).inserted { return candidate }
            number += 1
        }
    }
}
