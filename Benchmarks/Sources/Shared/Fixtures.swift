import Workload

extension Folder {
    func integers() throws -> String {
        try fixture(INTEGERS_FILE, script: [INTEGERS_TABLE, INTEGERS_FILL])
    }

    func integersInWAL() throws -> String {
        try fixture(INTEGERS_WAL_FILE, script: [INTEGERS_WAL, INTEGERS_TABLE, INTEGERS_FILL])
    }

    func mixed() throws -> String {
        try fixture(MIXED_FILE, script: [MIXED_TABLE, MIXED_FILL])
    }

    func dates() throws -> String {
        try fixture(DATES_FILE, script: [DATES_TABLE, DATES_FILL])
    }

    func uuids() throws -> String {
        try fixture(UUIDS_FILE, script: [UUIDS_TABLE, UUIDS_FILL])
    }

    func numbers() throws -> String {
        try fixture(NUMBERS_FILE, script: [NUMBERS_TABLE, NUMBERS_FILL])
    }

    func persons() throws -> String {
        try fixture(PERSONS_FILE, script: [PERSONS_TABLE, PERSONS_FILL])
    }

    func profiles() throws -> String {
        try fixture(PROFILES_FILE, script: [PROFILES_TABLE, PROFILES_FILL])
    }

    func strings() throws -> String {
        try fixture(STRINGS_FILE, script: [STRINGS_TABLE, STRINGS_FILL])
    }
}

extension Configuration {
    static var unsynchronized: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: SYNCHRONOUS_OFF) }
        return configuration
    }
}
