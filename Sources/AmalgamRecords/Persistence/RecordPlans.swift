import AmalgamCore
import AmalgamQuery

/// The data that a connection caches about record types: plans for writing records, and statements that find a record
/// by its primary key. These data are used on the thread that uses the connection.
final class RecordPlans: DatabaseAttachment {
    private static let key = AttachmentKey<RecordPlans>()
    @exclusivity(unchecked)  // Used from one thread, and not accessed during a change, like the next properties.
    private var plans = PlansByType<RecordPlan>()
    @exclusivity(unchecked)
    private var lookUps = PlansByType<KeyLookUp>()

    /// The plan of the type of which a record was inserted directly most recently.
    @exclusivity(unchecked)
    private var direct: (type: ObjectIdentifier, plan: RecordPlan)?

    /// The callbacks that haven't been called yet and might change a record that is inserted as a copy, by type.
    @exclusivity(unchecked)
    private var uncheckedCallbacks = PlansByType<CallbackProbe.Callbacks>()

    /// Receives the default callbacks of the current insertion.
    @exclusivity(unchecked)
    private(set) var probe: CallbackProbe?

    /// Runs a closure with a probe, and returns whether all callbacks of an insertion are the default ones.
    func allCallbacksAreDefault(of type: Any.Type, in insert: () throws -> Void) rethrows -> Bool {
        let probe = CallbackProbe(type)
        let outerProbe = self.probe
        self.probe = probe
        defer { self.probe = outerProbe }
        try insert()
        return probe.defaults == .insertion
    }

    /// Runs a callback, and returns whether it is the default one.
    func isDefault(
        _ callback: CallbackProbe.Callbacks, of type: Any.Type, in call: () throws -> Void
    ) rethrows -> Bool {
        let (probe, outerProbe) = (CallbackProbe(type), self.probe)
        self.probe = probe
        defer { self.probe = outerProbe }
        try call()
        guard probe.defaults.contains(callback) else { return false }
        outerProbe?.note(callback, type)
        return true
    }

    /// Returns the plans of a connection, and creates them at the first use.
    static func of(_ db: Database) -> RecordPlans { db.attachment(key, orInsert: RecordPlans()) }

    /// Returns the plan for writing records of a type. The name of its table may have changed since the last write.
    func plan(_ type: any MutablePersistableRecord.Type) -> RecordPlan {
        let tableName = type.databaseTableName
        if let plan = plans[type], plan.tableName == tableName { return plan }
        let plan = RecordPlan(tableName: tableName)
        plans[type] = plan
        return plan
    }

    /// Returns the plan for writing records of a type if the most recent direct insertion was one of this type.
    func directPlan(_ type: (some TableRecord).Type) -> RecordPlan? {
        guard let direct, direct.type == ObjectIdentifier(type), direct.plan.tableName == type.databaseTableName else {
            return nil
        }
        return direct.plan
    }

    func setDirectPlan(_ plan: RecordPlan, of type: Any.Type) {
        direct = (ObjectIdentifier(type), plan)
    }

    /// Returns whether a callback might change a record that is inserted as a copy.
    func checks(_ callback: CallbackProbe.Callbacks, of type: any MutablePersistableRecord.Type) -> Bool {
        if let unchecked = uncheckedCallbacks[type] { return unchecked.contains(callback) }
        let isCopied = type is any (_DeclaredRecord & PersistableRecord).Type && !(type is AnyObject.Type)
        let unchecked: CallbackProbe.Callbacks = isCopied ? [.willInsert, .didInsert] : []
        uncheckedCallbacks[type] = unchecked
        return unchecked.contains(callback)
    }

    /// Notes that callbacks of a type don't change its records.
    func skipChecks(_ callbacks: CallbackProbe.Callbacks, of type: Any.Type) {
        uncheckedCallbacks[type] = uncheckedCallbacks[type]?.subtracting(callbacks)
    }

    /// Returns the statement that finds a record of a type by its key. A change of the schema makes a new statement.
    func lookUp(_ db: Database, _ type: any TableRecord.Type) throws -> KeyLookUp {
        if let lookUp = lookUps[type], lookUp.tableName == type.databaseTableName, try lookUp.isCurrent(db) {
            return lookUp
        }
        let lookUp = try KeyLookUp(db, type)
        lookUps[type] = lookUp
        return lookUp
    }
}

/// A dictionary of plans by type. It checks the most recent type first, since loops usually process records of one
/// type.
private struct PlansByType<Plan> {
    private var plans: [ObjectIdentifier: Plan] = [:]
    private var recent: (type: ObjectIdentifier, plan: Plan)?

    subscript(_ type: Any.Type) -> Plan? {
        mutating get {
            let id = ObjectIdentifier(type)
            if let recent, recent.type == id { return recent.plan }
            guard let plan = plans[id] else { return nil }
            recent = (id, plan)
            return plan
        }
        set {
            plans[ObjectIdentifier(type)] = newValue
            recent = nil
        }
    }
}
