public import CAmalgam

/// Where the columns that a type reads are in a row. Types that read the same columns of all rows look them up once.
package final class ColumnPositions {
    /// The object that the positions were looked up for.
    package let owner: AnyObject

    /// The columns of the row.
    package let columns: StatementColumns

    /// The positions in the row; nil for a column that the row doesn't have.
    package let indexes: [Int?]

    /// The positions in the statement; -1 for a column that the row doesn't have.
    fileprivate let baseIndexes: UnsafeMutablePointer<CInt>

    package init(owner: AnyObject, of indexes: [Int?], in row: Row) {
        self.owner = owner
        self.indexes = indexes
        columns = row.columns
        baseIndexes = .allocate(capacity: max(1, indexes.count))
        for (place, index) in indexes.enumerated() {
            (baseIndexes + place).initialize(to: index.map { CInt(row.baseIndex($0)) } ?? -1)
        }
    }

    deinit { baseIndexes.deallocate() }
}

/// The positions that a row has, for code that reads values from the statement. They are valid as long as the row.
public struct _RowPositions {
    @usableFromInline
    let owner: UnsafeRawPointer

    /// Nil if the row is a copy.
    @usableFromInline
    let statement: SQLiteStatement?

    @usableFromInline
    let baseIndexes: UnsafePointer<CInt>

    fileprivate let positions: Unmanaged<ColumnPositions>

    /// What the owner remembers about the row.
    @usableFromInline
    package let flag: Bool
}

extension Row {
    /// The positions of an owner's columns; nil if they weren't looked up.
    @inlinable @inline(__always)
    package func positions(of owner: AnyObject) -> _RowPositions? {
        guard let positions = latestPositions, positions.owner == Unmanaged.passUnretained(owner).toOpaque() else {
            return earlierPositions(of: owner)
        }
        return positions
    }

    /// Several types may read one row, in turn.
    @usableFromInline
    func earlierPositions(of owner: AnyObject) -> _RowPositions? {
        guard let firstPositions else { return nil }
        let known =
            firstPositions.positions.owner === owner
            ? firstPositions : otherPositions.first { $0.positions.owner === owner }
        return known.map { keepPositions($0.positions, flag: $0.flag) }
    }

    /// Sets the positions of an owner's columns. The row keeps them as long as it exists.
    ///
    /// - Parameter flag: anything that the owner wants to remember.
    package func setPositions(_ positions: ColumnPositions, flag: Bool) -> _RowPositions {
        if firstPositions == nil {
            firstPositions = (positions, flag)
        } else {
            otherPositions.append((positions, flag))
        }
        return keepPositions(positions, flag: flag)
    }

    private func keepPositions(_ positions: ColumnPositions, flag: Bool) -> _RowPositions {
        let latest = _RowPositions(
            owner: Unmanaged.passUnretained(positions.owner).toOpaque(),
            // The whole row of a view may become a copy at any time.
            statement: isView ? nil : statement?.sqliteStatement,
            baseIndexes: UnsafePointer(positions.baseIndexes), positions: .passUnretained(positions), flag: flag)
        latestPositions = latest
        return latest
    }
}

extension Statement {
    /// The positions of an owner's columns in rows of this statement.
    package func columnPositions(of owner: AnyObject, in columns: StatementColumns) -> ColumnPositions? {
        columnPositions.first { $0.owner === owner && $0.columns === columns }
    }

    /// Keeps positions for the next rows and executions.
    package func keepPositions(_ positions: ColumnPositions) {
        // After a recompilation, the columns are others.
        columnPositions.removeAll { $0.columns !== positions.columns }
        columnPositions.append(positions)
    }
}

extension _RowPositions {
    /// The value of a column, read from the statement; nil if the row is a copy, or doesn't have the column, or if the
    /// value needs a conversion.
    ///
    /// - Parameter place: the place of the column among those of the owner, which isn't checked.
    @inlinable @inline(__always)
    package func value<Value: StatementColumnConvertible>(_ place: Int, _ type: Value.Type) -> Value? {
        let index = baseIndexes[place]
        guard index >= 0, let statement else { return nil }
        return Value.fromStatement(statement, atUncheckedIndex: index)
    }

    /// Whether the row doesn't have a column, or is attached to a statement that has NULL there.
    @inlinable @inline(__always)
    package func isNil(_ place: Int) -> Bool {
        let index = baseIndexes[place]
        if index < 0 { return true }
        guard let statement else { return false }
        return amalgam_column(statement, index).pointee.isNull
    }

    /// The position of a column in the row, which may show a part of the statement's columns.
    package func index(_ place: Int) -> Int? { positions._withUnsafeGuaranteedRef { $0.indexes[place] } }

    /// Whether the row doesn't have a column.
    @inlinable @inline(__always)
    package func isMissing(_ place: Int) -> Bool { baseIndexes[place] < 0 }
}
