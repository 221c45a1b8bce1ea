import AmalgamCore
import AmalgamQuery

/// What a connection knows about the records of all types.
final class RecordPlans: DatabaseAttachment {
    private static let key = AttachmentKey<RecordPlans>()
    private var plans = PlansByType<RecordPlan>()
    private var lookUps = PlansByType<KeyLookUp>()

    /// What a connection knows about records.
    static func of(_ db: Database) -> RecordPlans { db.attachment(key, orInsert: RecordPlans()) }

    /// What is known about writing records of a type.
    func plan(_ type: any MutablePersistableRecord.Type) -> RecordPlan {
        if let plan = plans[type] { return plan }
        let plan = RecordPlan(tableName: type.databaseTableName)
        plans[type] = plan
        return plan
    }

    /// The statement that finds a record of a type by its key, unless the schema has changed since.
    func lookUp(_ db: Database, _ type: any TableRecord.Type) throws -> KeyLookUp {
        if let lookUp = lookUps[type], try lookUp.isCurrent(db) { return lookUp }
        let lookUp = try KeyLookUp(db, type)
        lookUps[type] = lookUp
        return lookUp
    }
}

/// Plans by type. The one asked for last is tried first: loops are about records of one type.
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
