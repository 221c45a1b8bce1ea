/// Decodes arrays and dictionaries of scalars without Codable containers. With containers, the standard library would
/// create an existential for each element, and two strings for each key.
extension JSONBContext {
    /// Decodes an array of scalars.
    ///
    /// - Parameter depth: The depth of the array.
    @inline(__always)
    func array<Element: JSONBScalar & Decodable>(of type: Element.Type, _ array: JSONBValue, depth: Int) throws
        -> [Element]
    {
        var elements: [Element] = []
        var position = array.start
        while position < array.end {
            guard let value = storage.value(at: position, before: array.end) else {
                throw malformed(depth: depth, JSONBKey(index: elements.count))
            }
            elements.append(
                try Element(jsonb: value, in: storage)
                    ?? decode(type, value, depth: depth, JSONBKey(index: elements.count)))
            position = value.end
        }
        return elements
    }

    /// Decodes a dictionary of scalars. Its keys are data, and aren't converted.
    @inline(__always)
    func dictionary<Value: JSONBScalar & Decodable>(
        of type: Value.Type, _ object: JSONBValue, depth: Int
    ) throws -> [String: Value] {
        var values: [String: Value] = [:]
        values.reserveCapacity(min(elementCount(object) / 2, 1 << 16))
        var position = object.start
        while position < object.end {
            guard let label = storage.value(at: position, before: object.end), label.type.isText,
                let value = storage.value(at: label.end, before: object.end),
                let name = String(jsonb: label, in: storage)
            else { throw malformed(depth: depth) }
            let decoded = try Value(jsonb: value, in: storage) ?? decode(type, value, depth: depth, JSONBKey(name))
            // If keys are equal, the first one counts.
            if let first = values.updateValue(decoded, forKey: name) { values[name] = first }
            position = value.end
        }
        return values
    }

    /// The number of elements inside an element, up to the first malformed one.
    private func elementCount(_ value: JSONBValue) -> Int {
        var (count, position) = (0, value.start)
        while let element = storage.value(at: position, before: value.end) {
            count += 1
            position = element.end
        }
        return count
    }
}
