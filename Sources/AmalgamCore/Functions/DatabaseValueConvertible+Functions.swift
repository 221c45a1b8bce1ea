public import CAmalgam
public import Foundation

// Conversion of function arguments and results. Each type decodes the same values here as in `fromDatabaseValue`. If an
// argument has the usual storage class of the type, such as INTEGER for `Int`, it is converted directly. Otherwise, it
// is converted to a `DatabaseValue` first, which is slower.

extension DatabaseValueConvertible {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Self? {
        fromDatabaseValue(argument.databaseValue)
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) {
        databaseValue.setFunctionResult(result)
    }

    /// Decodes an argument whose storage class isn't the usual one of the type. Out of line, for speed.
    @inlinable
    @inline(never)
    static func converted(_ argument: DatabaseFunction.Argument) -> Self? {
        fromDatabaseValue(argument.databaseValue)
    }
}

extension DatabaseValue {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> DatabaseValue? {
        argument.databaseValue
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) {
        switch storage {
        case .null: result.setNull()
        case .int64(let integer): result.set(integer)
        case .double(let double): result.set(double)
        case .string(let string): isStorable ? string.setFunctionResult(result) : result.fail(unstorable: self)
        case .blob(let data): data.setFunctionResult(result)
        }
    }
}

extension DatabaseValueConvertible where Self: FixedWidthInteger & Codable {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Self? {
        if argument.value.storageClass == AMALGAM_INTEGER { return Self(exactly: argument.value.integer) }
        return converted(argument)
    }

    /// Sets an INTEGER result. A value above `Int64.max` is an error of code `SQLITE_TOOBIG`.
    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) {
        guard let integer = Int64(exactly: self) else {
            return result.fail(
                .SQLITE_TOOBIG, "\(self) does not fit in an SQLite integer, which has 64 bits and a sign")
        }
        result.set(integer)
    }
}

extension Double {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Double? {
        if argument.value.storageClass == AMALGAM_REAL { return argument.value.real }
        return converted(argument)
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) { result.set(self) }
}

extension Float {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Float? {
        Double.fromFunctionArgument(argument).map { Float($0) }
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) { result.set(Double(self)) }
}

extension Bool {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Bool? {
        if argument.value.storageClass == AMALGAM_INTEGER { return argument.value.integer != 0 }
        return converted(argument)
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) { result.set(Int64(self ? 1 : 0)) }
}

extension String {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> String? {
        let value = argument.value
        if value.storageClass == AMALGAM_TEXT && value.isText { return String(decoding: value.buffer, as: UTF8.self) }
        return converted(argument)
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) {
        var text = self
        text.withUTF8 { result.setText(UnsafeRawBufferPointer($0)) }
    }
}

extension Data {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Data? {
        let value = argument.value
        if value.storageClass == AMALGAM_BLOB && value.isBlob { return Data(value.buffer) }
        return converted(argument)
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) {
        withUnsafeBytes { result.setBlob($0) }
    }
}

extension Optional where Wrapped: DatabaseValueConvertible {
    @inlinable
    public static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Wrapped?? {
        if let wrapped = Wrapped.fromFunctionArgument(argument) { return .some(wrapped) }
        return argument.isNull ? .some(nil) : nil
    }

    @inlinable
    public func setFunctionResult(_ result: DatabaseFunction.Result) {
        if let self { self.setFunctionResult(result) } else { result.setNull() }
    }
}
