import PowerPrograms
import TestSupport
import Testing

/// What each setting promises after a power failure, in both directions: the promise is kept, and no more is kept.
///
/// `scripts/proof/power-loss` checks more crashes. A failure has the seed of its program.
@Suite struct SettingTests {
    /// A setting, and whether the disk keeps the order of writes.
    struct Line: CustomTestStringConvertible, Sendable {
        let setting: Setting
        let keepsOrder: Bool

        var promise: Promise { setting.promise(keepsOrder: keepsOrder) }
        var behavior: Crash.Behavior { keepsOrder ? .keepsOrder : .any }
        var testDescription: String { "\(setting)\(keepsOrder ? ", in order" : "")" }

        static let all = Setting.all.flatMap { setting in
            [false, true].map { Line(setting: setting, keepsOrder: $0) }
        }
    }

    private func withSearch<T>(_ body: (Search) throws -> T) throws -> T {
        let search = try Search()
        defer { search.removeFiles() }
        return try body(search)
    }

    /// Random programs with random page sizes; every fourth one works on encrypted files.
    @Test(arguments: Line.all.filter { $0.promise > .nothing })
    func thePromiseIsKept(line: Line) throws {
        try withSearch { search in
            for seed in programSeeds {
                var random = Random(seed: seed)
                let program = Program(.random(line.setting, &random), seed: seed)
                let failure = try search.failure(of: program, crashCount: 15, seed: seed, behavior: line.behavior)
                #expect(failure == nil, "seed \(seed)")
            }
        }
    }

    /// A crash breaks the next stronger promise.
    @Test(arguments: Line.all.filter { $0.promise < .everyCommit && $0.setting.policy == .automatic })
    func noMoreIsKept(line: Line) throws {
        let stronger = try #require(Promise(rawValue: line.promise.rawValue + 1))
        let kind: Profile.Kind = line.setting.journal == .wal ? .pool : .queue
        // In a transaction on two files, SQLite syncs the folder. Small pages hold few of the bytes in a checksum.
        let profile = Profile(
            kind, line.setting, pageSize: line.setting.journal == .wal ? 4096 : 512, hasOther: false)
        // With NORMAL and a rollback journal, the journal itself must be torn, between the bytes in the checksum of a page.
        // Few rows leave most of these bytes zero.
        let isTorn = line.setting.journal != .wal && line.setting.synchronous == .normal && !line.keepsOrder
        let program = Program(profile, isTorn ? steps(.update, .update, .update, .update, .update, .update) : usual)
        let isBroken = try withSearch { search in
            try (1...40).contains { seed in
                try search.failure(
                    of: program, crashCount: 100, seed: UInt64(seed), behavior: isTorn ? .tears : line.behavior,
                    promise: stronger) != nil
            }
        }
        #expect(isBroken, "the promise could be stronger")
    }

    /// Without one of its syncs, a setting doesn't keep its promise. With all of them, it does.
    @Test(arguments: Setting.all.filter { $0.synchronous != .off && ($0.policy == .automatic || $0 == $0.inFull) })
    func theLossOfASyncIsNoticed(setting: Setting) throws {
        let profile = Profile(setting.journal == .wal ? .pool : .queue, setting, pageSize: 1024)
        let program = Program(profile, steps(.insert, .attached, .update, .insert, .documents))
        // A setting that promises nothing on any disk: what was not synced is lost or kept as a whole.
        let isWeak = setting.promise(keepsOrder: false) == .nothing
        let behavior: Crash.Behavior = isWeak ? .choosesFiles : .any
        let promise = setting.promise(keepsOrder: isWeak)
        try withSearch { search in
            func fails(without number: Int64) throws -> Bool {
                try search.failure(
                    of: program, crashCount: 30, seed: 1, behavior: behavior, droppedSync: number, promise: promise)
                    != nil
            }
            #expect(try !fails(without: 0))
            let count = try search.syncCount(of: program)
            let isNoticed = try (1...max(1, count)).reversed().contains { try fails(without: $0) }
            #expect(isNoticed, "none of \(count) syncs is needed")
        }
    }

    @Test(arguments: Setting.all.filter { $0.synchronous == .off })
    func offSyncsNothing(setting: Setting) throws {
        let profile = Profile(setting.journal == .wal ? .pool : .queue, setting)
        let count = try withSearch { try $0.syncCount(of: Program(profile, usual)) }
        #expect(count == 0)
    }

    @Test(arguments: [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536])
    func pagesOfEachSize(pageSize: Int) throws {
        try withSearch { search in
            for profile in [
                Profile(.queue, Setting(.delete, .extra), pageSize: pageSize),
                Profile(.pool, Setting(.wal, .full), pageSize: pageSize),
            ] {
                let program = Program(profile, seed: UInt64(pageSize))
                let failure = try search.failure(of: program, crashCount: 10, seed: UInt64(pageSize))
                #expect(failure == nil)
            }
        }
    }

    #if Encryption
    @Test(arguments: [
        Setting(.delete, .extra), Setting(.truncate, .full), Setting(.persist, .full), Setting(.wal, .normal),
        Setting(.wal, .full, .policy),
    ])
    func encryptedFiles(setting: Setting) throws {
        let profile = Profile(setting.journal == .wal ? .pool : .queue, setting, isEncrypted: true)
        try withSearch { search in
            for seed: UInt64 in 1...2 {
                let program = Program(profile, seed: seed)
                let failure = try search.failure(of: program, crashCount: 15, seed: seed)
                #expect(failure == nil, "seed \(seed)")
            }
        }
    }
    #endif

    @Test(arguments: [Setting(.delete, .full), Setting(.persist, .full), Setting(.wal, .normal), Setting(.wal, .full)])
    func aProgramGoesOnAfterACrash(setting: Setting) throws {
        try withSearch { search in
            for seed: UInt64 in 1...4 {
                var random = Random(seed: seed)
                let program = Program(.random(setting, &random), seed: seed)
                let failure = try search.failureAfterCrash(of: program, seed: seed, crashCount: 5)
                #expect(failure == nil, "seed \(seed)")
            }
        }
    }

    /// A failing program is shrunk to the steps that it needs.
    @Test func aFailureIsShrunk() throws {
        let program = Program(
            Profile(.pool, Setting(.wal, .normal)), steps(.read, .insert, .vacuum, .insert, .read))
        try withSearch { search in
            let failure = try #require(
                try search.failure(of: program, crashCount: 100, seed: 1, promise: .everyCommit))
            let smallest = try search.shrunk(failure, crashCount: 100, seed: 1, promise: .everyCommit)
            #expect(smallest.program.steps.count < program.steps.count)
            #expect(smallest.crash != nil)
        }
    }
}

extension Setting {
    fileprivate var inFull: Setting { Setting(journal, .full, policy) }
}

/// Steps with the seeds 0, 1, 2 …
private func steps(_ actions: Step.Action...) -> [Step] {
    actions.enumerated().map { index, action in Step(action, seed: UInt64(index)) }
}

/// Eight commits.
private let usual = steps(.insert, .attached, .documents, .update, .insert, .delete, .attached, .update)

/// One seed. `AMALGAM_SEEDS=50` tries 50, and `AMALGAM_SEED=17` only this one: see `seeds(_:)`.
private var programSeeds: ClosedRange<UInt64> { seeds(1) }
