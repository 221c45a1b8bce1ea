import AmalgamCore
import Synchronization

/// What containers of keys read: plain memory, at an address that is good for ever.
///
/// The standard library copies a container for each value that it asks for, where nobody knows the type of the container
/// any more. A counted reference in it would be retained and released each time, which takes longer than to read a
/// number. So a container holds this address and the number of the ``KeyedColumns`` that it belongs to. These have the
/// memory for as long as they live; others have it after them, under another number.
struct KeyTable {
    /// Whose memory it is; 0 for nobody.
    fileprivate var number: UInt64 = 0

    fileprivate var columns: Unmanaged<KeyedColumns>?
    fileprivate var source: Unmanaged<RowSource>?

    /// Where the values of the row are.
    fileprivate var place: UnsafePointer<RowPlace>?

    /// The properties, by place.
    fileprivate var properties: UnsafeMutableBufferPointer<KeyedColumns.Property> = .init(start: nil, count: 0)
}

// MARK: - The memory of tables

extension KeyTable {
    /// The memory that nobody has.
    private static let unused = Mutex<[Handle.Memory]>([])

    private static let lastNumber = Atomic<UInt64>(0)

    /// A table for new columns, which give it back.
    static func lend() -> Handle {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let memory = unused.withLock { $0.popLast() } ?? Handle.Memory(pointer: .allocate(capacity: 1))
        memory.pointer.initialize(to: KeyTable(number: number))
        return Handle(memory: memory, number: number)
    }

    /// A table, as columns and containers know it.
    struct Handle {
        fileprivate struct Memory: @unchecked Sendable {  // Whoever has taken it has it alone.
            let pointer: UnsafeMutablePointer<KeyTable>
        }

        fileprivate let memory: Memory
        fileprivate let number: UInt64

        fileprivate var table: UnsafeMutablePointer<KeyTable> { memory.pointer }

        /// Whether the columns that had the table have it still.
        fileprivate var isCurrent: Bool { table.pointee.number == number }
    }
}

// MARK: - For columns

extension KeyTable.Handle {
    /// The properties.
    var properties: UnsafeMutableBufferPointer<KeyedColumns.Property> {
        get { table.pointee.properties }
        nonmutating set { table.pointee.properties = newValue }
    }

    func use(_ columns: KeyedColumns) {
        table.pointee.columns = Unmanaged.passUnretained(columns)
        table.pointee.source = Unmanaged.passUnretained(columns.source)
        table.pointee.place = UnsafePointer(columns.source.place)
    }

    func giveBack() {
        table.initialize(to: KeyTable())
        KeyTable.unused.withLock { $0.append(memory) }
    }
}

// MARK: - For containers

extension KeyTable.Handle {
    /// The columns.
    ///
    /// - throws: a `DecodingError` when they are gone, with their decoder.
    func columns() throws -> KeyedColumns {
        guard isCurrent, let columns = table.pointee.columns else { throw RowSource.outOfUse }
        return columns.takeUnretainedValue()
    }
}

// MARK: - Values that are read where SQLite has them

extension KeyTable.Handle {
    typealias Scalar = DatabaseValueConvertible & StatementColumnConvertible & CellConvertible

    /// The value of a property.
    @inline(__always)
    func scalar<Value: Scalar>(_ type: Value.Type, _ key: some CodingKey) throws -> Value {
        if let value = value(type, key) { return value }
        return try columns().scalar(type, key)
    }

    /// The value of a property; nil for NULL, and for a missing column.
    @inline(__always)
    func scalarIfPresent<Value: Scalar>(_ type: Value.Type, _ key: some CodingKey) throws -> Value? {
        if let value = value(type, key) { return value }
        return try columns().scalarIfPresent(type, key)
    }

    /// The value of a property that was asked for before, when it is there and of the kind that the type is made of.
    @inline(__always)
    private func value<Value: Scalar>(_ type: Value.Type, _ key: some CodingKey) -> Value? {
        guard let property = known(key), let place = table.pointee.place?.pointee else { return nil }
        let base = property.pointee.base
        if base < 0 { return nil }
        if let statement = place.statement {
            return Value.fromStatement(statement, atUncheckedIndex: CInt(truncatingIfNeeded: base))
        }
        if let cells = place.cells { return Value.fromCell(base, of: cells) }
        return nil
    }

    /// The property of a key, when it was asked for before, and is found without its name.
    @inline(__always)
    fileprivate func known(_ key: some CodingKey) -> UnsafeMutablePointer<KeyedColumns.Property>? {
        guard let byte = key.byte, isCurrent, byte < properties.count else { return nil }
        return properties.baseAddress! + byte
    }
}

// MARK: - Values of any type

extension KeyTable.Handle {
    /// Lends what reads values of a type for a property, and the row to read.
    ///
    /// - throws: a `DecodingError` when no record is being decoded.
    @inline(__always)
    func withReader<Value: Decodable, Result>(
        _ type: Value.Type, _ key: some CodingKey, _ body: (PropertyReader<Value>, RowSource) throws -> Result
    ) throws -> Result {
        guard isCurrent, let source = table.pointee.source else { throw RowSource.outOfUse }
        return try source._withUnsafeGuaranteedRef { source in
            if !source.isReading { _ = try source.row() }
            if let property = known(key), property.pointee.readType == ObjectIdentifier(type),
                let reader = property.pointee.reader
            {
                return try body(unsafeDowncast(reader, to: PropertyReader<Value>.self), source)
            }
            return try body(columns().reader(type, key), source)
        }
    }
}
