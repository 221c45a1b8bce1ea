public import AmalgamCore
import CAmalgam

/// An FTS5 auxiliary function written in Swift. It computes a value for each row that matches a query, such as a rank
/// or a highlighted string. See <https://www.sqlite.org/fts5.html#custom_auxiliary_functions>.
///
/// ```swift
/// let hitCount = FTS5Function("hitCount") { match, arguments in try match.hitCount() }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in try db.add(auxiliaryFunction: hitCount) }
///
/// try Document.matching("sqlite").order(hitCount().desc).fetchAll(db)
/// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite' ORDER BY hitCount("document") DESC
/// ```
///
/// SQL can call the function only in a full-text query. Its first argument in SQL is the full-text table; the closure
/// receives the arguments that follow.
///
/// If the closure throws an error, the statement fails with this error, as explained for ``DatabaseFunction``.
public struct FTS5Function: Sendable {
    /// The closure that implements an auxiliary function.
    public typealias Body =
        @Sendable (borrowing FTS5Match, [DatabaseValue]) throws -> (any DatabaseValueConvertible)?

    /// The name in SQL.
    public let name: String

    fileprivate let body: Body

    /// Creates an auxiliary function.
    ///
    /// ```swift
    /// let length = FTS5Function("length") { match, arguments in try match.size() }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in SQL. The function replaces a built-in function of FTS5 with the same name, such as `bm25`.
    ///   - body: The closure that returns the result; nil stands for NULL. Its parameters are the match, which is only
    ///     valid during the call, and the arguments.
    public init(_ name: String, body: @escaping Body) {
        self.name = name
        self.body = body
    }
}

extension Database {
    /// Registers an FTS5 auxiliary function on the connection. In statements that are compiled afterwards, the function
    /// replaces an auxiliary function with the same name.
    ///
    /// Register functions in `prepareDatabase`, so that all connections of a pool have them:
    ///
    /// ```swift
    /// let hitCount = FTS5Function("hitCount") { match, arguments in try match.hitCount() }
    ///
    /// var configuration = Configuration()
    /// configuration.prepareDatabase { db in try db.add(auxiliaryFunction: hitCount) }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, or if the name is empty or contains a NUL character; a
    ///   ``DatabaseError`` if memory is exhausted.
    public func add(auxiliaryFunction function: FTS5Function) throws {
        try function.register(on: self)
        // Cached statements may call the replaced function.
        expireStatements()
    }
}

extension FTS5Function {
    /// Registers the function on a connection, unless it is already registered. Cached statements aren't recompiled,
    /// because none of them can call a function that wasn't registered before.
    func addIfMissing(to db: Database) throws {
        if !AuxiliaryFunctionNames.of(db).names.contains(TableName(name)) { try register(on: db) }
    }

    fileprivate func register(on db: Database) throws {
        let api: UnsafeMutablePointer<fts5_api> = try FTS5.functions(inAccessTo: db)
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "an auxiliary function needs a name without NUL characters")
        }
        let object = Unmanaged.passRetained(AuxiliaryFunction(body)).toOpaque()
        let code = api.pointee.xCreateFunction(api, name, object, callFunction) { object in
            if let object { Unmanaged<AuxiliaryFunction>.fromOpaque(object).release() }
        }
        if code != SQLITE_OK {
            Unmanaged<AuxiliaryFunction>.fromOpaque(object).release()
            throw db.error(code)
        }
        AuxiliaryFunctionNames.of(db).names.insert(TableName(name))
    }
}

/// The names of the Swift auxiliary functions of a connection.
private final class AuxiliaryFunctionNames: DatabaseAttachment {
    private static let key = AttachmentKey<AuxiliaryFunctionNames>()
    var names: Set<TableName> = []

    static func of(_ db: Database) -> AuxiliaryFunctionNames {
        db.attachment(key, orInsert: AuxiliaryFunctionNames())
    }
}

/// The user data of a registered function.
private final class AuxiliaryFunction {
    let body: FTS5Function.Body

    init(_ body: @escaping FTS5Function.Body) {
        self.body = body
    }
}

private let callFunction:
    @convention(c) (
        UnsafePointer<Fts5ExtensionApi>?, OpaquePointer?, OpaquePointer?, CInt,
        UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void = { api, match, context, count, values in
        guard let api, let match, let object = api.pointee.xUserData(match) else { return }
        let function = Unmanaged<AuxiliaryFunction>.fromOpaque(object).takeUnretainedValue()
        let call = FunctionCall(context, count, values)
        do {
            let arguments = (0..<Int(count)).map { call.argument($0).databaseValue }
            call.setResult(try function.body(FTS5Match(api, match), arguments))
        } catch {
            call.fail(error)
        }
    }
