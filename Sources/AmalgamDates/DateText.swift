// Parses and writes strings of dates and times, byte by byte, without a formatter, a calendar object, or a `String`.
//
//     2015-07-22
//     2015-07-22 01:02        2015-07-22T01:02
//     2015-07-22 01:02:03     2015-07-22T01:02:03
//     2015-07-22 01:02:03.456 2015-07-22T01:02:03.456
//     01:02
//     01:02:03
//     01:02:03.456
//
// A time may be followed by a time zone: Z, +HH:MM or -HH:MM, optionally after blanks. Digits of a fraction after the
// third one are ignored. Other strings are invalid, including those of days that don't exist.

/// The parts of a date or time string.
package struct DateText: Equatable, Sendable {
    package var day = CalendarDay(year: 0, month: 1, day: 1)
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var millisecond = 0

    /// The offset from UTC in minutes, if the string has a time zone.
    package var zone: Int?

    /// The format of the string. A `T` is treated as a blank.
    package var format: DatabaseDateComponents.Format

    package init(format: DatabaseDateComponents.Format) {
        self.format = format
    }
}

// MARK: - Reading

extension DateText {
    /// Parses one of the ten formats; nil for other strings.
    package init?(_ string: String) {
        var string = string
        guard let text = string.withUTF8({ DateText(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = text
    }

    /// Parses the UTF-8 bytes of one of the ten formats; nil for other strings.
    package init?(_ text: UnsafeRawBufferPointer) {
        self.init(format: .YMD)
        var scanner = Scanner(text)
        if text.count >= 10 && text[4] == UInt8(ascii: "-") {
            guard scanDay(&scanner) else { return nil }
            if scanner.isAtEnd { return }
            guard scanner.skip(UInt8(ascii: " ")) || scanner.skip(UInt8(ascii: "T")) else { return nil }
            guard scanTime(&scanner, .YMD_HM, .YMD_HMS, .YMD_HMSS) else { return nil }
        } else {
            guard scanTime(&scanner, .HM, .HMS, .HMSS) else { return nil }
        }
        guard scanner.isAtEnd || scanZone(&scanner) else { return nil }
    }

    /// Parses YYYY-MM-DD.
    @inline(__always)
    private mutating func scanDay(_ scanner: inout Scanner) -> Bool {
        guard let century = scanner.twoDigits(), let year = scanner.twoDigits(), scanner.skip(UInt8(ascii: "-")),
            let month = scanner.twoDigits(), scanner.skip(UInt8(ascii: "-")),
            let day = scanner.twoDigits()
        else { return false }
        self.day = CalendarDay(year: century &* 100 &+ year, month: month, day: day)
        return self.day.isValid
    }

    /// Parses HH:MM, HH:MM:SS or HH:MM:SS.SSS, and sets the corresponding format.
    @inline(__always)
    private mutating func scanTime(
        _ scanner: inout Scanner,
        _ minutes: DatabaseDateComponents.Format,
        _ seconds: DatabaseDateComponents.Format,
        _ milliseconds: DatabaseDateComponents.Format
    ) -> Bool {
        guard let hour = scanner.twoDigits(), hour < 24, scanner.skip(UInt8(ascii: ":")),
            let minute = scanner.twoDigits(), minute < 60
        else { return false }
        self.hour = hour
        self.minute = minute
        format = minutes
        guard scanner.skip(UInt8(ascii: ":")) else { return true }

        guard let second = scanner.twoDigits(), second < 60 else { return false }
        self.second = second
        format = seconds
        guard scanner.skip(UInt8(ascii: ".")) else { return true }

        guard let millisecond = scanner.thousandths() else { return false }
        self.millisecond = millisecond
        format = milliseconds
        return true
    }

    /// Parses a time zone at the end of the string: Z, z, +HH:MM or -HH:MM, optionally after blanks. Returns false for
    /// any other string, and for an offset of more than 14 hours and 59 minutes, which SQLite doesn't accept either.
    private mutating func scanZone(_ scanner: inout Scanner) -> Bool {
        while scanner.skip(UInt8(ascii: " ")) {}
        if scanner.skip(UInt8(ascii: "Z")) || scanner.skip(UInt8(ascii: "z")) {
            zone = 0
            return scanner.isAtEnd
        }
        let isNegative = scanner.skip(UInt8(ascii: "-"))
        guard isNegative || scanner.skip(UInt8(ascii: "+")),
            let hours = scanner.twoDigits(), hours <= 14, scanner.skip(UInt8(ascii: ":")),
            let minutes = scanner.twoDigits(), minutes < 60
        else { return false }
        let distance = hours * 60 + minutes
        zone = isNegative ? -distance : distance
        return scanner.isAtEnd
    }

    /// A bounds-checked position in the bytes.
    private struct Scanner {
        private let bytes: UnsafeRawBufferPointer
        private var position = 0

        @inline(__always)
        init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        @inline(__always)
        var isAtEnd: Bool { position == bytes.count }

        @inline(__always)
        mutating func skip(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position &+= 1
            return true
        }

        @inline(__always)
        mutating func digit() -> Int? {
            guard position < bytes.count else { return nil }
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            position &+= 1
            return Int(digit)
        }

        @inline(__always)
        mutating func twoDigits() -> Int? {
            guard bytes.count &- position >= 2 else { return nil }
            let tens = bytes[position] &- UInt8(ascii: "0")
            let units = bytes[position &+ 1] &- UInt8(ascii: "0")
            guard tens < 10, units < 10 else { return nil }
            position &+= 2
            return Int(tens) &* 10 &+ Int(units)
        }

        /// Parses all digits of a fraction, at least one, and returns the thousandths.
        @inline(__always)
        mutating func thousandths() -> Int? {
            guard let tenths = digit() else { return nil }
            var result = tenths &* 100
            guard let hundredths = digit() else { return result }
            result &+= hundredths &* 10
            guard let thousandths = digit() else { return result }
            result &+= thousandths
            while digit() != nil {}
            return result
        }
    }
}

// MARK: - Writing

extension DateText {
    /// The length of the longest string.
    package static let capacity = 23

    /// Writes the string in its format, without a time zone.
    ///
    /// - Parameter bytes: a buffer of at least ``capacity`` bytes.
    /// - Returns: the length of the string.
    @inline(__always)
    package func write(to bytes: UnsafeMutableRawBufferPointer) -> Int {
        var printer = Printer(bytes)
        if format.hasDay {
            printer.twoDigits(day.year / 100)
            printer.twoDigits(day.year % 100)
            printer.byte(UInt8(ascii: "-"))
            printer.twoDigits(day.month)
            printer.byte(UInt8(ascii: "-"))
            printer.twoDigits(day.day)
            if format == .YMD { return printer.count }
            printer.byte(UInt8(ascii: " "))
        }
        printer.twoDigits(hour)
        printer.byte(UInt8(ascii: ":"))
        printer.twoDigits(minute)
        if format.hasSeconds {
            printer.byte(UInt8(ascii: ":"))
            printer.twoDigits(second)
        }
        if format.hasMilliseconds {
            printer.byte(UInt8(ascii: "."))
            printer.byte(UInt8(truncatingIfNeeded: millisecond / 100) &+ UInt8(ascii: "0"))
            printer.twoDigits(millisecond % 100)
        }
        return printer.count
    }

    /// The date or time as a string, without a time zone.
    package var string: String {
        String(unsafeUninitializedCapacity: Self.capacity) { write(to: UnsafeMutableRawBufferPointer($0)) }
    }

    private struct Printer {
        private let bytes: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        @inline(__always)
        init(_ bytes: UnsafeMutableRawBufferPointer) {
            self.bytes = bytes
        }

        @inline(__always)
        mutating func byte(_ byte: UInt8) {
            bytes[count] = byte
            count &+= 1
        }

        @inline(__always)
        mutating func twoDigits(_ number: Int) {
            byte(UInt8(truncatingIfNeeded: number / 10) &+ UInt8(ascii: "0"))
            byte(UInt8(truncatingIfNeeded: number % 10) &+ UInt8(ascii: "0"))
        }
    }
}

extension DatabaseDateComponents.Format {
    var hasDay: Bool {
        switch self {
        case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS: true
        case .HM, .HMS, .HMSS: false
        }
    }

    var hasTime: Bool { self != .YMD }

    var hasSeconds: Bool {
        switch self {
        case .YMD_HMS, .YMD_HMSS, .HMS, .HMSS: true
        case .YMD, .YMD_HM, .HM: false
        }
    }

    var hasMilliseconds: Bool {
        self == .YMD_HMSS || self == .HMSS
    }
}
