import Foundation
import FuzzedServiceInputs

/// What clients send to the search service of Examples: the query of a URL, or a form.
///
/// All bytes are the fields, encoded. The service reads them or refuses them, and what it reads can be sent again.
struct ServiceFuzz: FuzzRun {
    func run(_ input: FuzzInput) throws {
        let fields = FormFields(input.text)
        try checkFields(fields, input.text)
        try checkSearch(SearchParameters(fields))
        try checkNumbers(fields)
        try checkMoment(fields)
        try checkEdit(fields)
        if let json = JSONValue(json: input.text) {
            try expect(JSONValue(json: json.json) == json, "\(json) isn't read as it is written")
        }
        if let edit = try accepted({ try DocumentEdit(json: Data(input.text.utf8)) }) { try checkEncoding(edit) }
    }

    /// Returns nil if the service refuses the input. Other errors are thrown.
    private func accepted<T>(_ body: () throws -> T) rethrows -> T? {
        do { return try body() } catch is InvalidInput { return nil }
    }

    private func checkFields(_ fields: FormFields, _ text: String) throws {
        let again = FormFields(fields.encoded)
        try expect(
            again.pairs.map(Pair.init) == fields.pairs.map(Pair.init), "the fields of \(text.debugDescription) change")
        let expected = text.utf8.split(separator: UInt8(ascii: "&")).prefix(FormFields.limit).map { field in
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return Pair(name: Self.decoded(parts[0]), value: parts.count > 1 ? Self.decoded(parts[1]) : [])
        }
        try expect(fields.pairs.map(Pair.init) == expected, "\(text.debugDescription) is read as \(fields.pairs)")
    }

    private struct Pair: Equatable {
        var name: [UInt8]
        var value: [UInt8]

        init(name: [UInt8], value: [UInt8]) { (self.name, self.value) = (name, value) }

        init(_ pair: (name: String, value: String)) {
            self.init(name: Array(pair.name.utf8), value: Array(pair.value.utf8))
        }
    }

    /// Decodes a field by the rules of the URL Standard.
    private static func decoded(_ field: Substring.UTF8View) -> [UInt8] {
        let bytes = Array(field)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes[(index + 1)...].prefix(2).compactMap(digit)
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, digits.count == 2 {
                decoded.append(digits[0] * 16 + digits[1])
                index += 3
            } else {
                decoded.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return Array(String(decoding: decoded, as: UTF8.self).utf8)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        "0123456789abcdef".utf8.enumerated().first { $0.element == byte || $0.element == byte | 0x20 && byte > 64 }
            .map { UInt8($0.offset) }
    }

    private func checkSearch(_ parameters: SearchParameters) throws {
        try expect(
            parameters.text.unicodeScalars.count <= SearchParameters.lengthLimit, "the text isn't limited")
        let values = parameters.choices.values.reduce(0) { $0 + $1.count }
        try expect(
            parameters.choices.count <= SearchParameters.facetLimit && values <= SearchParameters.choiceLimit,
            "the choices aren't limited")
        var again = SearchParameters(FormFields(parameters.query))
        again.isTyping = parameters.isTyping
        try expect(again == parameters, "\(parameters) isn't the search of the link \(parameters.query)")
        for (facet, values) in parameters.choices {
            for value in values {
                let other = parameters.toggling(value, of: facet).toggling(value, of: facet)
                try expect(other == parameters, "\(value) of \(facet) isn't chosen again")
            }
        }
    }

    private func checkNumbers(_ fields: FormFields) throws {
        if let count = try accepted({ try fields.resultCount() }) {
            try expect((1...100).contains(count), "a page has \(count) results")
        }
        _ = try accepted { try fields.entryBefore() }
        _ = try accepted { try DocumentIdentifier.parse(fields["id"]) }
    }

    private func checkMoment(_ fields: FormFields) throws {
        guard let parameter = try accepted({ try Moment.date(fields) }), let moment = parameter else { return }
        var again = FormFields()
        again.append("at", Moment.text(moment))
        let date = try accepted { try Moment.date(again) }
        try expect(
            date.flatMap { $0 }.map { abs($0.timeIntervalSince(moment)) < 0.01 } == true,
            "the moment \(moment.timeIntervalSince1970) isn't read as it is written: \(Moment.text(moment))")
    }

    private func checkEdit(_ fields: FormFields) throws {
        guard let edit = try accepted({ try EditForm(fields).edit }) else { return }
        for text in [edit.actor, edit.reason] {
            try expect((text ?? "").unicodeScalars.count <= 200, "the actor or the reason isn't limited")
        }
        try checkEncoding(edit)
    }

    private func checkEncoding(_ edit: DocumentEdit) throws {
        let json = try JSONEncoder().encode(edit)
        try expect(DocumentEdit(json: json) == edit, "an edit isn't read as it is written")
    }
}
