public import AmalgamCore
import CAmalgam

/// An auxiliary function of FTS5 written in Swift: it knows what the current row matches, and ranks it, marks it, or
/// tells what is in it. See <https://www.sqlite.org/fts5.html#custom_auxiliary_functions>.
///
/// ```swift
/// let hitCount = FTS5Function("hitCount") { match, arguments in try match.hitCount() }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in try db.add(auxiliaryFunction: hitCount) }
///
/// try Document.matching(pattern).order(hitCount().desc).fetchAll(db)
/// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite' ORDER BY hitCount("document") DESC
/// ```
///
/// The function is called for rows of a search only. Its first argument in SQL is the full-text table; the closure is
/// given those after it.
///
/// An error thrown by the closure is the error of the statement, as explained for ``DatabaseFunction``.
public struct FTS5Function: Sendable {
    /// What the function does.
    public typealias Body =
        @Sendable (borrowing FTS5Match, [DatabaseValue]) throws -> (any DatabaseValueConvertible)?

    /// The name in SQL.
    public let name: String

    fileprivate let body: Body

    /// A function.
    ///
    /// - Parameters:
    ///   - name: the name in SQL. That of a function of FTS5, such as `bm25`, is taken over.
    ///   - body: is given what is known of the match, during the call, and the arguments. It returns the result; nil is
    ///     NULL.
    public init(_ name: String, body: @escaping Body) {
        self.name = name
        self.body = body
    }
}

extension Database {
    /// Adds an auxiliary function of FTS5 to the connection. It takes the place of one with the same name, for
    /// statements that are compiled from now on.
    ///
    /// Add functions in `prepareDatabase`, and all connections of a pool have them.
    ///
    /// - throws: `SQLITE_MISUSE` for a name that is empty or contains a NUL character; a ``DatabaseError`` when memory is
    ///   exhausted.
    public func add(auxiliaryFunction function: FTS5Function) throws {
        try function.register(on: self)
        // Statements compiled before may call the former function of this name.
        expireStatements()
    }
}

extension FTS5Function {
    /// Adds the function to a connection, unless it is there already. No statement calls it before.
    func addIfMissing(to db: Database) throws {
        if !AuxiliaryFunctionNames.of(db).names.contains(name) { try register(on: db) }
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
        AuxiliaryFunctionNames.of(db).names.insert(name)
    }
}

/// The names of the auxiliary functions of a connection that are written in Swift.
private final class AuxiliaryFunctionNames: DatabaseAttachment {
    private static let key = AttachmentKey<AuxiliaryFunctionNames>()
    var names: Set<String> = []

    static func of(_ db: Database) -> AuxiliaryFunctionNames {
        db.attachment(key, orInsert: AuxiliaryFunctionNames())
    }
}

/// A function, as SQLite holds it.
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
