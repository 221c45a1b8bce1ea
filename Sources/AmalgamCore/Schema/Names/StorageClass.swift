extension Database {
    /// How a value is stored: <https://sqlite.org/datatype3.html#storage_classes_and_datatypes>.
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        /// The name of the class in SQL, as in `CAST(x AS INTEGER)`.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `INTEGER`
        public static let integer = StorageClass(rawValue: "INTEGER")

        /// `REAL`
        public static let real = StorageClass(rawValue: "REAL")

        /// `TEXT`
        public static let text = StorageClass(rawValue: "TEXT")

        /// `BLOB`
        public static let blob = StorageClass(rawValue: "BLOB")
    }
}
