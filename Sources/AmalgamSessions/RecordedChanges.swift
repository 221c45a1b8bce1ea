public import AmalgamCore
import CAmalgam
public import Foundation

/// A ``Changeset`` or a ``Patchset``: a sequence of ``RecordedChange`` values.
///
/// ```swift
/// let changes = try changeset.changes()
/// while let change = try changes.next() {
///     print(change.operation, change.tableName, change.primaryKey)
/// }
/// try changeset.changes().filter { $0.tableName == "player" }.map(\.primaryKey).forEach { print($0) }
/// ```
///
/// A changeset or patchset is a block of bytes, which its copies share. SQLite allocates memory for each change that a
/// cursor reads, so reading can throw, and the type isn't a `Sequence`. The bytes are well-formed, because
/// ``init(data:)`` checks them. Two changesets are equal if their bytes are equal: the same changes in a different
/// order make a different changeset. A changeset or patchset can be a statement argument, and is stored and fetched as
/// a BLOB. `Codable` encodes a changeset or patchset as `Data`.
public protocol RecordedChanges: Hashable, Sendable, Codable, CustomStringConvertible, DatabaseValueConvertible {
    /// True for ``Patchset``, false for ``Changeset``.
    static var isPatchset: Bool { get }

    /// The bytes.
    var bytes: ChangesetBytes { get }

    /// Creates a changeset or patchset from bytes that were checked.
    init(bytes: ChangesetBytes)
}

extension RecordedChanges {
    /// Creates a changeset or patchset from stored or received bytes, and checks that the bytes are well-formed.
    ///
    /// ```swift
    /// let changeset = try Changeset(data: Data(contentsOf: url))
    /// ```
    ///
    /// Cost: all changes are read once, and the bytes are copied.
    ///
    /// - Throws: `SQLITE_CORRUPT` if the bytes are neither a changeset nor a patchset; `SQLITE_MISMATCH` if
    ///   `Changeset(data:)` receives a patchset, or `Patchset(data:)` a changeset; `SQLITE_TOOBIG` for 2 GB or more.
    public init(data: some DataProtocol) throws {
        let contiguous = data.regions.count == 1 ? nil : Data(data)
        if let contiguous {
            self.init(bytes: try contiguous.withUnsafeBytes(ChangesetBytes.init(copying:)))
        } else {
            self.init(bytes: try data.regions.first!.withUnsafeBytes(ChangesetBytes.init(copying:)))
        }
        try ChangeReader(bytes).check(isPatchset: Self.isPatchset)
    }

    /// The bytes as `Data`, without a copy.
    public var data: Data { bytes.data }

    // MARK: Reading

    /// Returns a new cursor, which starts with the first change.
    ///
    /// ```swift
    /// for change in try Array(changeset.changes()) { print(change) }
    /// ```
    ///
    /// - Throws: `SQLITE_NOMEM`.
    public func changes() throws -> RecordedChangeCursor { try RecordedChangeCursor(bytes) }

    /// Whether the changeset or patchset contains no change.
    public var isEmpty: Bool { get throws { try !ChangeReader(bytes).step() } }

    /// The first change; nil if there is none.
    public var first: RecordedChange? { get throws { try changes().next() } }

    /// The number of changes. All changes are read to count them.
    public var count: Int {
        get throws {
            let reader = try ChangeReader(bytes)
            var count = 0
            while try reader.step() { count += 1 }
            return count
        }
    }

    /// The names of the changed tables, in the order of the changes.
    public var tableNames: [String] {
        get throws {
            let reader = try ChangeReader(bytes)
            var names: [String] = []
            while try reader.step() {
                let name = try reader.table().name
                if names.last?.equalsExactly(name) != true { names.append(name) }
            }
            return names
        }
    }

    /// At most a hundred changes, one ``RecordedChange/description`` per line, and the error if they can't be read.
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

    /// Returns the changes that a closure accepts.
    ///
    /// ```swift
    /// let direct = try changeset.filtered { !$0.isIndirect }
    /// ```
    ///
    /// - Throws: the error of the closure, or `SQLITE_NOMEM`.
    public func filtered(_ isIncluded: (RecordedChange) throws -> Bool) throws -> Self {
        let group = try Changegroup<Self>()
        try group.add(self, where: isIncluded)
        return try group.changes()
    }

    /// Returns the recorded changes of this changeset or patchset, followed by those of another one. Changes of the
    /// same row are combined: see ``Changegroup``.
    ///
    /// ```swift
    /// let week = try monday.appending(tuesday)
    /// ```
    ///
    /// - Throws: `SQLITE_SCHEMA` if a table has a different number of columns, or a different primary key, in `other`.
    public func appending(_ other: Self) throws -> Self {
        let group = try Changegroup<Self>()
        try group.add(self)
        try group.add(other)
        return try group.changes()
    }

    /// Combines changes like ``appending(_:)``.
    ///
    /// ```swift
    /// let week = try monday + tuesday
    /// ```
    ///
    /// - Throws: an error of ``appending(_:)``.
    public static func + (lhs: Self, rhs: Self) throws -> Self { try lhs.appending(rhs) }

    /// Writes the bytes to an output.
    ///
    /// ```swift
    /// try changeset.write(to: .file(url))
    /// ```
    ///
    /// - Throws: the error of the output.
    public func write(to output: ChangesetOutput) throws {
        try output.write { sink in try bytes.withUnsafeBytes(sink) }
    }

    // MARK: Storage

    /// The bytes as a BLOB.
    public var databaseValue: DatabaseValue { data.databaseValue }

    /// Creates a changeset or patchset from a BLOB; nil if the BLOB isn't well-formed.
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
