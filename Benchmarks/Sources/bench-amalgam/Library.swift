@_exported import Amalgam
import Workload

/// Cases that only this library supports, in the files of `Cases`.
var ownCases: [any Case.Type] {
    [
        InsertValues.self, InsertValuesMixed.self, InsertWatched.self, InsertObserved.self, TableFunction.self,
        JSONBRecords.self, BulkUpdate.self, BulkUpdateAudited.self, BulkUpdateTriggered.self,
        AsyncPagesQueuePreferred.self, AsyncPagesPoolPreferred.self, InsertBeside1000.self, FullTextIdentifiers.self,
    ] + codecCases + rankedCases + rankedStateCases
}

/// The function of `FunctionCalls`: typed.
var fastAffine: DatabaseFunction {
    DatabaseFunction(FUNCTIONS_NAME, pure: true) { (integer: Int) in 2 * integer + 1 }
}

/// The tokenizer of `FullTextStopWords`, which is part of this library.
var stopWordTokenizer: FullTextTokenizer {
    let module = FTS5TokenizerModule.stopWords(StopWordWrapper.words)
    return FullTextTokenizer(descriptor: module.descriptor()) { db in db.add(tokenizer: module) }
}
