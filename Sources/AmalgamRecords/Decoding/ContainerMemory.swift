import AmalgamCore
import Synchronization

/// The plain memory that keyed containers read, at an address that stays valid forever.
///
/// The standard library copies a container for each value that it decodes, because the type of the container is erased. A
/// counted reference in it would be retained and released each time, which takes longer than to read a number. So a container
/// holds a pointer into a pool of recycled memory and a generation number. ``KeyedColumns`` own the memory for as long as they
/// live; a stale container is detected because the number no longer matches.
struct ContainerMemory {
    /// The generation of the owner; 0 for unused memory.
    fileprivate var number: UInt64 = 0

    fileprivate var columns: Unmanaged<KeyedColumns>?
    fileprivate var source: Unmanaged<RowSource>?

    /// The storage of the row's values.
    fileprivate var storage: UnsafePointer<RowStorageView>?

    /// The properties, by index.
    fileprivate var properties: UnsafeMutableBufferPointer<KeyedColumns.Property> = .init(start: nil, count: 0)
}

// MARK: - The pool

extension ContainerMemory {
    /// The recycled memory without an owner.
    private static let unused = Mutex<[Reference.Address]>([])

    private static let lastNumber = Atomic<UInt64>(0)

    /// Allocates memory for new columns, which release it.
    static func allocate() -> Reference {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let memory = unused.withLock { $0.popLast() } ?? Reference.Address(pointer: .allocate(capacity: 1))
        memory.pointer.initialize(to: ContainerMemory(number: number))
        return Reference(memory: memory, number: number)
    }

    /// A reference that columns and containers hold.
    struct Reference {
        fileprivate struct Address: @unchecked Sendable {  // Sendable: one owner at a time uses it.
            let pointer: UnsafeMutablePointer<ContainerMemory>
        }

        fileprivate let memory: Address
        fileprivate let number: UInt64

        fileprivate var table: UnsafeMutablePointer<ContainerMemory> { memory.pointer }

        /// Whether the columns that allocated the memory still own it.
        fileprivate var isCurrent: Bool { table.pointee.number == number }
    }
}

// MARK: - For columns

extension ContainerMemory.Reference {
    /// The properties.
    var properties: UnsafeMutableBufferPointer<KeyedColumns.Property> {
        get { table.pointee.properties }
        nonmutating set { table.pointee.properties = newValue }
    }

    func use(_ columns: KeyedColumns) {
        table.pointee.columns = Unmanaged.passUnretained(columns)
        table.pointee.source = Unmanaged.passUnretained(columns.source)
        table.pointee.storage = UnsafePointer(columns.source.storage)
    }

    func release() {
        table.initialize(to: ContainerMemory())
        ContainerMemory.unused.withLock { $0.append(memory) }
    }
}

// MARK: - For containers

extension ContainerMemory.Reference {
    /// The columns.
    ///
    /// - throws: a `DecodingError` when they were released with their decoder.
    func columns() throws -> KeyedColumns {
        guard isCurrent, let columns = table.pointee.columns else { throw RowSource.outOfUse }
        return columns.takeUnretainedValue()
    }
}

// MARK: - Values that are read where SQLite has them

extension ContainerMemory.Reference {
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
        guard let property = known(key), let storage = table.pointee.storage?.pointee else { return nil }
        let base = property.pointee.base
        if base < 0 { return nil }
        if let statement = storage.statement {
            return Value.fromStatement(statement, atUncheckedIndex: CInt(truncatingIfNeeded: base))
        }
        if let cells = storage.cells { return Value.fromCell(base, of: cells) }
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

extension ContainerMemory.Reference {
    /// Calls a closure with the reader of a property, and the row to read.
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
