/// Values of a literal, `[1, "Anna", nil]`, read where they are.
///
/// Asking an existential value for its `databaseValue` copies it, asks its witness table, and destroys the copy,
/// each through its metadata: some 25 ns, and an INSERT of ten values takes SQLite 240. Nearly all arguments
/// are of a few types. These are recognised by their metadata, and loaded from the inline buffer of the existential
/// container, whose layout is a part of Swift's stable ABI (three words of buffer, the metadata, the witness table:
/// "docs/ABI/TypeLayout.rst" of the Swift project). The layout is checked once; if it were another one, all
/// values would go the long way.
func makeDatabaseValues(_ elements: [(any DatabaseValueConvertible)?]) -> [DatabaseValue] {
    guard ExistentialLayout.isAsDocumented else { return elements.map { $0?.databaseValue ?? .null } }
    return elements.withUnsafeBufferPointer { elements in
        [DatabaseValue](unsafeUninitializedCapacity: elements.count) { values, count in
            for index in elements.indices {
                let value = ExistentialLayout.databaseValue(elements.baseAddress! + index)
                (values.baseAddress! + index).initialize(to: value)
            }
            count = elements.count
        }
    }
}

private enum ExistentialLayout {
    typealias Element = (any DatabaseValueConvertible)?

    private static let typeOffset = 3 * MemoryLayout<UnsafeRawPointer>.size

    @inline(__always)
    static func type(_ element: UnsafePointer<Element>) -> Any.Type? {
        UnsafeRawPointer(element).load(fromByteOffset: typeOffset, as: Any.Type?.self)
    }

    @inline(__always)
    static func databaseValue(_ element: UnsafePointer<Element>) -> DatabaseValue {
        let payload = UnsafeRawPointer(element)
        guard let type = type(element) else { return .null }
        if type == Int.self || type == Int64.self {
            return DatabaseValue(storage: .int64(payload.load(as: Int64.self)))
        }
        if type == String.self { return DatabaseValue(storage: .string(payload.load(as: String.self))) }
        if type == Double.self { return DatabaseValue(storage: .double(payload.load(as: Double.self))) }
        return element.pointee!.databaseValue
    }

    static let isAsDocumented: Bool = {
        guard MemoryLayout<Int>.size == MemoryLayout<Int64>.size else { return false }
        let samples: [Element] = [0x0123_4567, "a string that is not small", 1.5, nil]
        return samples.withUnsafeBufferPointer { samples in
            let start = samples.baseAddress!
            return MemoryLayout<Element>.stride == typeOffset + 2 * MemoryLayout<UnsafeRawPointer>.size
                && type(start) == Int.self && databaseValue(start) == 0x0123_4567.databaseValue
                && type(start + 1) == String.self
                && databaseValue(start + 1) == "a string that is not small".databaseValue
                && type(start + 2) == Double.self && databaseValue(start + 2) == 1.5.databaseValue
                && type(start + 3) == nil
        }
    }()
}
