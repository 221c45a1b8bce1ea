#if Macros || !MACRO_RECORDS
import Amalgam

// The conformances of the record types. Their members are those of `Codable` in AmalgamRecordsTests, and of the macros in
// MacroRecordsTests, which defines `MACRO_RECORDS`, and has links to these files.

#if MACRO_RECORDS
/// A type that is fetched.
typealias FetchedRecord = FetchableRecord

/// A type that is fetched as a part of another one.
typealias FetchedPart = FetchableRecord

/// A type that is fetched and stored.
typealias StoredRecord = FetchableRecord & PersistableRecord

/// A type that is fetched and stored, and that an insertion changes.
typealias MutableStoredRecord = FetchableRecord & MutablePersistableRecord
#else
typealias FetchedRecord = Decodable & FetchableRecord
typealias FetchedPart = Decodable
typealias StoredRecord = Codable & FetchableRecord & PersistableRecord
typealias MutableStoredRecord = Codable & FetchableRecord & MutablePersistableRecord
#endif
#endif
