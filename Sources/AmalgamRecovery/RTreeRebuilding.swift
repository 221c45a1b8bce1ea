import AmalgamCore
import Foundation

/// Builds a damaged R*Tree again from the entries of its leaves, which don't need each other.
///
/// The format of a node, a BLOB of the table `%_node`: the depth of the tree in two bytes (in the root, node 1), the number of cells
/// in two bytes, and the cells. A cell is a number in eight bytes, of a row in a leaf and otherwise of a node, and its coordinates in
/// four bytes each. All numbers are big-endian: <https://sqlite.org/rtree.html>.
struct RTreeRebuilding {
    private let name: String
    private let sql: String
    private let module: String
    private let db: Database

    /// The cell of a node: an entry in a leaf, and otherwise a node.
    private struct Cell {
        let number: Int64
        let coordinates: [DatabaseValue]
    }

    init(_ table: FoundContent.VirtualTable, _ db: Database) {
        name = table.name
        sql = table.sql
        module = table.module.lowercased()
        self.db = db
    }

    func run() throws {
        try db.inTransaction {
            let columns = try String.fetchAll(
                db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [name]
            ).map(\.quotedDatabaseIdentifier)
            let rowsTable = (name + "_rowid").quotedDatabaseIdentifier
            var additional: [Int64: [DatabaseValue]] = [:]
            // The table of a damaged schema may have any columns.
            for row in try Row.fetchAll(db, sql: "SELECT * FROM \(rowsTable)") {
                let values = Array(row.databaseValues)
                guard let rowID = values.first.flatMap(Int64.fromDatabaseValue) else { continue }
                additional[rowID] = Array(values.dropFirst(2))
            }
            // A polygon of geopoly is an additional column itself.
            let entries =
                module == "geopoly"
                ? additional.keys.map { Cell(number: $0, coordinates: []) }
                : try entries(coordinateCount: columns.count - 1 - (additional.values.first?.count ?? 0))
            try db.execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
            try db.execute(sql: sql)
            let names = module == "geopoly" ? ["rowid"] + columns : columns
            let marks = names.map { _ in "?" }.joined(separator: ", ")
            let insertion = try db.makeStatement(
                sql: """
                    INSERT OR REPLACE INTO \(name.quotedDatabaseIdentifier) (\(names.joined(separator: ", "))) \
                    VALUES (\(marks))
                    """)
            var refusal: DatabaseError?
            var isEmpty = true
            for entry in entries.sorted(by: { $0.number < $1.number }) {
                var values = [entry.number.databaseValue]
                values += entry.coordinates
                values += additional[entry.number] ?? []
                values += Array(repeating: DatabaseValue.null, count: max(0, names.count - values.count))
                do {
                    try insertion.execute(arguments: StatementArguments(values.prefix(names.count)))
                    isEmpty = false
                } catch let error as DatabaseError where isOfEntry(error) {
                    refusal = error
                }
            }
            if isEmpty, let refusal { throw refusal }
            return .commit
        }
    }

    /// Whether an entry was refused: damaged coordinates, whose minimum is above their maximum, or a damaged polygon.
    private func isOfEntry(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_ERROR && module == "geopoly"
    }

    /// Returns the entries of all leaves: those below the root, and those that the table `%_rowid` names.
    private func entries(coordinateCount: Int) throws -> [Cell] {
        let nodesTable = (name + "_node").quotedDatabaseIdentifier
        let rowsTable = (name + "_rowid").quotedDatabaseIdentifier
        var nodes: [Int64: [UInt8]] = [:]
        let isNode = "typeof(nodeno) = 'integer' AND typeof(data) = 'blob'"
        for row in try Row.fetchAll(db, sql: "SELECT nodeno, data FROM \(nodesTable) WHERE \(isNode)") {
            let (number, data): (Int64, Data) = (row[0], row[1])
            nodes[number] = Array(data)
        }
        var leaves = try Set(
            Int64.fetchAll(db, sql: "SELECT DISTINCT nodeno FROM \(rowsTable) WHERE typeof(nodeno) = 'integer'"))
        var level: Set<Int64> = [1]
        let depth = nodes[1].map { $0.count < 2 ? 0 : Int($0[0]) << 8 | Int($0[1]) } ?? 0
        // An R*Tree has at most 40 levels.
        for _ in 0..<min(depth, 40) {
            level = Set(level.flatMap { node in cells(nodes[node] ?? [], coordinateCount).map(\.number) })
        }
        leaves.formUnion(level)
        return leaves.flatMap { leaf in cells(nodes[leaf] ?? [], coordinateCount) }
    }

    private func cells(_ node: [UInt8], _ coordinateCount: Int) -> [Cell] {
        guard node.count >= 4, coordinateCount > 0 else { return [] }
        let size = 8 + 4 * coordinateCount
        let count = min(Int(node[2]) << 8 | Int(node[3]), (node.count - 4) / size)
        return (0..<count).map { index in
            let start = 4 + index * size
            let number = node[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let coordinates = (0..<coordinateCount).map { coordinate in
                let position = start + 8 + 4 * coordinate
                let bits = node[position..<position + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                return module == "rtree_i32"
                    ? Int64(Int32(bitPattern: bits)).databaseValue : Double(Float(bitPattern: bits)).databaseValue
            }
            return Cell(number: Int64(bitPattern: number), coordinates: coordinates)
        }
    }
}
