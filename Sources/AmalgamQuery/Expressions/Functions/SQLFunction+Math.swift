// The mathematical functions of SQLite: <https://sqlite.org/lang_mathfunc.html>. Their result is NULL if it is
// undefined, as in `SQRT(-1)`.

extension SQLFunction {
    /// The inverse cosine, in radians: `ACOS(x)`.
    public static let acos = SQLFunction(builtIn: "ACOS")

    /// The inverse hyperbolic cosine: `ACOSH(x)`.
    public static let acosh = SQLFunction(builtIn: "ACOSH")

    /// The inverse sine, in radians: `ASIN(x)`.
    public static let asin = SQLFunction(builtIn: "ASIN")

    /// The inverse hyperbolic sine: `ASINH(x)`.
    public static let asinh = SQLFunction(builtIn: "ASINH")

    /// The inverse tangent, in radians: `ATAN(x)`.
    public static let atan = SQLFunction(builtIn: "ATAN")

    /// The angle of the point (x, y), in radians: `ATAN2(y, x)`.
    public static let atan2 = SQLFunction(builtIn: "ATAN2")

    /// The inverse hyperbolic tangent: `ATANH(x)`.
    public static let atanh = SQLFunction(builtIn: "ATANH")

    /// The smallest integer that isn't less than the number: `CEIL(x)`.
    public static let ceil = SQLFunction(builtIn: "CEIL")

    /// The cosine of an angle in radians: `COS(x)`.
    public static let cos = SQLFunction(builtIn: "COS")

    /// The hyperbolic cosine: `COSH(x)`.
    public static let cosh = SQLFunction(builtIn: "COSH")

    /// The angle converted from radians to degrees: `DEGREES(x)`.
    public static let degrees = SQLFunction(builtIn: "DEGREES")

    /// The exponential function, e to the power of x: `EXP(x)`.
    public static let exp = SQLFunction(builtIn: "EXP")

    /// The largest integer that isn't greater than the number: `FLOOR(x)`.
    public static let floor = SQLFunction(builtIn: "FLOOR")

    /// The natural logarithm: `LN(x)`.
    public static let ln = SQLFunction(builtIn: "LN")

    /// The logarithm to the base 10, or to the given base: `LOG(x)`, `LOG(base, x)`.
    public static let log = SQLFunction(builtIn: "LOG")

    /// The logarithm to the base 2: `LOG2(x)`.
    public static let log2 = SQLFunction(builtIn: "LOG2")

    /// The remainder of a division, also of non-integer numbers: `MOD(x, y)`.
    public static let mod = SQLFunction(builtIn: "MOD")

    /// The number π: `PI()`.
    public static let pi = SQLFunction(builtIn: "PI")

    /// The number to the power of an exponent: `POW(x, exponent)`.
    public static let pow = SQLFunction(builtIn: "POW")

    /// The angle converted from degrees to radians: `RADIANS(x)`.
    public static let radians = SQLFunction(builtIn: "RADIANS")

    /// The sine of an angle in radians: `SIN(x)`.
    public static let sin = SQLFunction(builtIn: "SIN")

    /// The hyperbolic sine: `SINH(x)`.
    public static let sinh = SQLFunction(builtIn: "SINH")

    /// The square root: `SQRT(x)`.
    public static let sqrt = SQLFunction(builtIn: "SQRT")

    /// The tangent of an angle in radians: `TAN(x)`.
    public static let tan = SQLFunction(builtIn: "TAN")

    /// The hyperbolic tangent: `TANH(x)`.
    public static let tanh = SQLFunction(builtIn: "TANH")

    /// The integer part of a number: `TRUNC(x)`.
    public static let trunc = SQLFunction(builtIn: "TRUNC")
}
