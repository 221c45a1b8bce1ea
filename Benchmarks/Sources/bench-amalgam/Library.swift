@_exported import Amalgam
import Workload

/// Cases that only this library can express, in files beside this one.
var ownCases: [any Case.Type] {
    [
        InsertWatched.self, InsertObserved.self, TableFunction.self, JSONBRecords.self, BulkUpdate.self,
        BulkUpdateAudited.self, BulkUpdateTriggered.self,
    ] + codecCases
}

/// The function of `FunctionCalls`: typed.
var fastAffine: DatabaseFunction {
    DatabaseFunction(FUNCTIONS_NAME, pure: true) { (integer: Int) in 2 * integer + 1 }
}
