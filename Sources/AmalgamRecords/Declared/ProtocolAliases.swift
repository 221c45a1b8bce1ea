public import AmalgamQuery

// The names of the protocols to which macros declare conformances. An application may have other protocols of these names.

public typealias _FetchableRecord = FetchableRecord
public typealias _EncodableRecord = EncodableRecord
public typealias _TableRecord = TableRecord
public typealias _MutablePersistableRecord = MutablePersistableRecord
public typealias _PersistableRecord = PersistableRecord
public typealias _Identifiable = Identifiable
