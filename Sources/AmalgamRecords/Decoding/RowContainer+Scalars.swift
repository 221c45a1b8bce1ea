import AmalgamCore

// `Codable` has one method for each of these types. Their values are read directly from the statement.

extension RowContainer {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try columns.scalar(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try columns.scalar(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try columns.scalar(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try columns.scalar(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try columns.scalar(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try columns.scalar(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try columns.scalar(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try columns.scalar(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try columns.scalar(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try columns.scalar(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try columns.scalar(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try columns.scalar(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try columns.scalar(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try columns.scalar(type, key) }
}

extension RowContainer {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try columns.scalarIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try columns.scalarIfPresent(type, key)
    }
}
