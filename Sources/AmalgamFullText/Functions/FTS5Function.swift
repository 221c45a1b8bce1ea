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
        try register(function)
        // Statements compiled before may call the former function of this name.
        expireStatements()
    }

    /// Adds a function that nobody calls before it is there, unless it is there already.
    func addIfMissing(auxiliaryFunction function: FTS5Function) throws {
        if !auxiliaryFunctions.names.contains(function.name) { try register(function) }
    }

    private func register(_ function: FTS5Function) throws {
        let api: UnsafeMutablePointer<fts5_api> = try fts5Functions()
        guard !function.name.isEmpty, !function.name.utf8.contains(0) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "an auxiliary function needs a name without NUL characters")
        }
        let object = Unmanaged.passRetained(AuxiliaryFunction(function.body)).toOpaque()
        let code = api.pointee.xCreateFunction(api, function.name, object, callFunction) { object in
            if let object { Unmanaged<AuxiliaryFunction>.fromOpaque(object).release() }
        }
        if code != SQLITE_OK {
            Unmanaged<AuxiliaryFunction>.fromOpaque(object).release()
            throw error(code)
        }
        auxiliaryFunctions.names.insert(function.name)
    }
}

/// The names of the auxiliary functions of a connection that are written in Swift.
private final class AuxiliaryFunctionNames: DatabaseAttachment {
    static let key = AttachmentKey<AuxiliaryFunctionNames>()
    var names: Set<String> = []
}

extension Database {
    private var auxiliaryFunctions: AuxiliaryFunctionNames {
        attachment(AuxiliaryFunctionNames.key, orInsert: AuxiliaryFunctionNames())
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
