// bench-amalgam and bench-peer: Library.swift imports one library or the other
//
// bench-… CASE FOLDER [RUNS]
// bench-… --list

let sharedCases: [any Case.Type] = [
    Insert.self,
    RowsByPosition.self,
    RowsByName.self,
    RowsCopied.self,
    Strings.self,
    Integers.self,
    Lookups.self,
    TinyReadsQueue.self,
    TinyReadsPool.self,
    RowsMixed.self,
    InsertMixed.self,
    Dates.self,
    DatesBound.self,
    UUIDs.self,
    UUIDsBound.self,
    JSONRecords.self,
    FunctionCalls.self,
    FunctionCallsByArray.self,
    ReadsBesideWriter.self,
    WritesBesideReaders.self,
    SmallWrites.self,
    OpenPool.self,
    AsyncTinyReadsQueue.self,
    AsyncTinyReadsPool.self,
    PagesQueue.self,
    PagesPool.self,
    AsyncPagesQueue.self,
    AsyncPagesPool.self,
    RecordsByPosition.self,
    RecordsByName.self,
    RecordsCodable.self,
    RecordsCodableMixed.self,
    RecordByKey.self,
    InsertRecords.self,
    RecordsMacro.self,
    RecordsMacroMixed.self,
    RecordByKeyMacro.self,
    InsertMacro.self,
    UpdateChanges.self,
    JoinToOne.self,
    PrefetchToMany.self,
    CommitToValueQueue.self,
    CommitToValuePool.self,
    StartObservation.self,
    InsertBeside1.self,
    InsertBeside100.self,
    FullTextIndexed.self,
    FullTextUnicode61.self,
    FullTextStopWords.self,
    FullTextWrapper.self,
    FullTextCode.self,
    FullTextSearched.self,
    FullTextSearched10000.self,
    FullTextSearched30000.self,
    FullTextSearched100000.self,
    FullTextSearched300000.self,
    FullTextSearched1000000.self,
]
let cases = sharedCases + ownCases

let arguments = CommandLine.arguments.dropFirst()

if arguments == ["--list"] {
    for entry in cases { print(entry.name) }
} else if (2...3).contains(arguments.count), let entry = cases.first(where: { $0.name == arguments[1] }) {
    let runs = arguments.count == 3 ? Int(arguments[3]) ?? 3 : 3
    print(try entry.measure(folder: Folder(path: arguments[2]), runs: runs).json)
} else {
    fatalError("usage: \(CommandLine.arguments[0]) CASE FOLDER [RUNS], or --list")
}
