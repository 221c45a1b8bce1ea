#if !Encryption
public import AmalgamConcurrency
public import AmalgamCore
public import Foundation

// Without the trait, the methods exist so that the compiler says what to do.

extension Database {
    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func usePassphrase(_ passphrase: String) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func usePassphrase(_ passphrase: some ContiguousBytes) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func useRawKey(_ key: some ContiguousBytes, salt: (some ContiguousBytes)? = Data?.none) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func changePassphrase(_ passphrase: String) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func changePassphrase(_ passphrase: some ContiguousBytes) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func changeRawKey(_ key: some ContiguousBytes) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func attach(path: String, as name: String, passphrase: String?) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func attach(path: String, as name: String, passphrase: some ContiguousBytes) throws {}

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func export(to path: String, passphrase: String?) throws {}
}

extension DatabaseReader {
    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    public func export(to path: String, passphrase: String?) throws {}
}

extension DatabaseWriter {
    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    @discardableResult
    public func changePassphrase(_ passphrase: String) throws -> [String] { [] }

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    @discardableResult
    public func changePassphrase(_ passphrase: some ContiguousBytes) throws -> [String] { [] }

    /// Needs the trait `Encryption` of the package. A call doesn't compile without it.
    ///
    /// - Throws: With the trait, the errors of the method of the same name.
    @available(*, unavailable, message: "Enable the trait: .package(url: …, traits: [\"Encryption\"])")
    @discardableResult
    public func changeRawKey(_ key: some ContiguousBytes) throws -> [String] { [] }
}
#endif
