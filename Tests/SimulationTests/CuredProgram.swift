import Testing

/// A shrunk program that has failed once, as `amalgam-simulate` prints it after `replay:`.
struct CuredProgram: CustomTestStringConvertible {
    /// What was wrong.
    let name: String
    let json: String

    var testDescription: String { name }

    static let all = [
        CuredProgram(
            name: "updateAll(onConflict: .abort) wrote no OR ABORT: the clause of the table rolled the transaction back",
            json: #"""
                {"steps":[{"write":{"_0":{"connection":0,"parts":[{"statement":{"_0":{"form":"literals",
                "isReturning":false,"change":{"insert":{"_0":[{"values":[{"text":{"_0":"ä"}},
                {"text":{"_0":"ä"}}]},{"values":[{"blob":{"_0":[]}},{"blob":{"_0":[97]}}]}]}},
                "table":"strictest"}}}],"kind":"transaction","isRolledBack":false}}},
                {"write":{"_0":{"parts":[{"statement":{"_0":{"conflict":"ABORT",
                "change":{"update":{"_1":{"all":{}},"_0":[{"term":{"value":{"_0":{"blob":{"_0":[97]}}}},
                "column":0}]}},"isReturning":false,"table":"strictest","form":"request"}}}],
                "isRolledBack":false,"connection":0,"kind":"transaction"}}}],"options":{"isWAL":true,
                "firesTriggers":true,"isPool":false,"isSecondPool":false}}
                """#)
    ]
}
