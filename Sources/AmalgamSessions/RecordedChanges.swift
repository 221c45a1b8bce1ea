public import AmalgamCore
import CAmalgam
public import Foundation

/// A ``Changeset`` or a ``Patchset``: a sequence of ``RecordedChange``.
///
/// ```swift
/// let changes = try changeset.changes()
/// while let change = try changes.next() {
///     print(change.operation, change.tableName, change.primaryKey)
/// }
/// try changeset.changes().filter { $0.tableName == "player" }.map(\.primaryKey).forEach { print($0) }
/// ```
///
/// A value is a block of bytes, which is read while a cursor moves through it; copies share it. SQLite allocates memory
/// for each change that it reads: what reads changes throws, and is no `Sequence` for this reason. The bytes are
/// well-formed: ``init(data:)`` refuses others. Two values are equal when their bytes are: the same changes may come in
/// another order, and are then different bytes. A value can be an argument of a statement, stored as a blob, and
/// fetched; it is encoded as `Data`.
public protocol RecordedChanges: Hashable, Sendable, Codable, CustomStringConvertible, DatabaseValueConvertible {
    /// Whether values are patchsets.
    static var isPatchset: Bool { get }

    /// The bytes.
    var bytes: ChangesetBytes { get }

    /// For bytes that were checked.
    init(bytes: ChangesetBytes)
}

extension RecordedChanges {
    /// Takes bytes that came from elsewhere, and checks that they are well-formed.
    ///
    /// ```swift
    /// let changeset = try Changeset(data: Data(contentsOf: url))
    /// ```
    ///
    /// Cost: all changes are read once, and the bytes are copied.
    ///
    /// - throws: `SQLITE_CORRUPT` for bytes that are not a changeset; `SQLITE_MISMATCH` for a changeset in place of a
    ///   patchset, or the reverse; `SQLITE_TOOBIG` for 2 GB or more.
    public init(data: some DataProtocol) throws {
        let contiguous = data.regions.count == 1 ? nil : Data(data)
        if let contiguous {
            self.init(bytes: try contiguous.withUnsafeBytes(ChangesetBytes.init(copying:)))
        } else {
            self.init(bytes: try data.regions.first!.withUnsafeBytes(ChangesetBytes.init(copying:)))
        }
        try ChangeReader(bytes).check(isPatchset: Self.isPatchset)
    }

    /// The bytes, which are not copied.
    public var data: Data { bytes.data }

    // MARK: Reading

    /// The changes, one after the other. Each cursor starts with the first one.
    ///
    /// ```swift
    /// for change in try Array(changeset.changes()) { print(change) }
    /// ```
    ///
    /// - throws: `SQLITE_NOMEM`, as all that reads changes.
    public func changes() throws -> RecordedChangeCursor { try RecordedChangeCursor(bytes) }

    /// Whether there is no change.
    public var isEmpty: Bool { get throws { try !ChangeReader(bytes).step() } }

    /// The first change; nil when there is none.
    public var first: RecordedChange? { get throws { try changes().next() } }

    /// The number of changes. All of them are read.
    public var count: Int {
        get throws {
            let reader = try ChangeReader(bytes)
            var count = 0
            while try reader.step() { count += 1 }
            return count
        }
    }

    /// The tables, in the order in which they come.
    public var tableNames: [String] {
        get throws {
            let reader = try ChangeReader(bytes)
            var names: [String] = []
            while try reader.step() {
                let name = try reader.table().name
                if names.last != name { names.append(name) }
            }
            return names
        }
    }

    /// One line per change, at most a hundred: ``RecordedChange/description``. When memory does not suffice to read
    /// them all, the last line says so.
    public var description: String {
        var lines: [String] = []
        var omitted = 0
        do {
            try changes().forEach { change in
                if lines.count < 100 { lines.append(change.description) } else { omitted += 1 }
            }
            if omitted > 0 { lines.append("… and \(omitted) more changes") }
        } catch {
            lines.append("… \(error)")
        }
        return lines.joined(separator: "\n")
    }

    // MARK: Other changes

    /// The changes that a closure accepts.
    ///
    /// ```swift
    /// let direct = try changeset.filtered { !$0.isIndirect }
    /// ```
    public func filtered(_ isIncluded: (RecordedChange) throws -> Bool) throws -> Self {
        let group = try Changegroup<Self>()
        try group.add(self, where: isIncluded)
        return try group.changes()
    }

    /// The changes as one: these, then others. Changes of the same row are combined, as ``Changegroup`` tells.
    ///
    /// ```swift
    /// let week = try monday.appending(tuesday)
    /// ```
    ///
    /// - throws: `SQLITE_SCHEMA` when a table has another number of columns, or another primary key, in the two.
    public func appending(_ other: Self) throws -> Self {
        let group = try Changegroup<Self>()
        try group.add(self)
        try group.add(other)
        return try group.changes()
    }

    /// The changes as one: ``appending(_:)``.
    public static func + (lhs: Self, rhs: Self) throws -> Self { try lhs.appending(rhs) }

    /// Writes the bytes.
    public func write(to output: ChangesetOutput) throws {
        try output.write { sink in try bytes.withUnsafeBytes(sink) }
    }

    // MARK: Storage

    /// A blob.
    public var databaseValue: DatabaseValue { data.databaseValue }

    /// The changes in a blob; nil when it is not well-formed.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard case .blob(let data) = dbValue.storage else { return nil }
        return try? Self(data: data)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data)
    }

    public init(from decoder: any Decoder) throws {
        self = try decodeBytes(from: decoder) { try Self(data: $0) }
    }
}
