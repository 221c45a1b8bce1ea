public import AmalgamQuery

// The protocols to which macros declare conformances. An application may have other protocols of these names.

/// The name that macros write for ``FetchableRecord``.
public typealias _FetchableRecord = FetchableRecord

/// The name that macros write for ``EncodableRecord``.
public typealias _EncodableRecord = EncodableRecord

/// The name that macros write for ``TableRecord``.
public typealias _TableRecord = TableRecord

/// The name that macros write for ``MutablePersistableRecord``.
public typealias _MutablePersistableRecord = MutablePersistableRecord

/// The name that macros write for ``PersistableRecord``.
public typealias _PersistableRecord = PersistableRecord

/// The name that macros write for `Identifiable`.
public typealias _Identifiable = Identifiable
