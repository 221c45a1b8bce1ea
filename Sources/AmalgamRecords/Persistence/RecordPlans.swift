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

    /// Returns the plans of a connection, and creates them at the first use.
    static func of(_ db: Database) -> RecordPlans { db.attachment(key, orInsert: RecordPlans()) }

    /// Returns the plan for writing records of a type.
    func plan(_ type: any MutablePersistableRecord.Type) -> RecordPlan {
        if let plan = plans[type] { return plan }
        let plan = RecordPlan(tableName: type.databaseTableName)
        plans[type] = plan
        return plan
    }

    /// Returns the plan for writing records of a type if the most recent direct insertion was one of this type.
    func directPlan(_ type: Any.Type) -> RecordPlan? {
        if let direct, direct.type == ObjectIdentifier(type) { return direct.plan }
        return nil
    }

    func setDirectPlan(_ plan: RecordPlan, of type: Any.Type) {
        direct = (ObjectIdentifier(type), plan)
    }

    /// Returns the statement that finds a record of a type by its key. A change of the schema makes a new statement.
    func lookUp(_ db: Database, _ type: any TableRecord.Type) throws -> KeyLookUp {
        if let lookUp = lookUps[type], try lookUp.isCurrent(db) { return lookUp }
        let lookUp = try KeyLookUp(db, type)
        lookUps[type] = lookUp
        return lookUp
    }
}

/// A dictionary of plans by type. It checks the most recent type first, since loops usually process records of one
/// type.
private struct PlansByType<Plan: AnyObject> {
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
