import Amalgam
import Testing

struct ResultCodeTests {
    @Test func equalityIsExact() {
        #expect(ResultCode(rawValue: 19) == .SQLITE_CONSTRAINT)
        #expect(ResultCode(rawValue: 787) == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(ResultCode.SQLITE_CONSTRAINT != .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(ResultCode(rawValue: 123).rawValue == 123)
    }

    @Test func everyCodeHasAPrimaryCode() {
        #expect(ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY.primaryResultCode == .SQLITE_CONSTRAINT)
        #expect(ResultCode.SQLITE_CONSTRAINT.primaryResultCode == .SQLITE_CONSTRAINT)
        #expect(ResultCode.SQLITE_BUSY_SNAPSHOT.primaryResultCode == .SQLITE_BUSY)
    }

    @Test(arguments: [
        (ResultCode.SQLITE_CONSTRAINT, ResultCode.SQLITE_CONSTRAINT, true),
        (.SQLITE_CONSTRAINT, .SQLITE_CONSTRAINT_FOREIGNKEY, true),
        (.SQLITE_CONSTRAINT_FOREIGNKEY, .SQLITE_CONSTRAINT_FOREIGNKEY, true),
        (.SQLITE_CONSTRAINT_FOREIGNKEY, .SQLITE_CONSTRAINT, false),
        (.SQLITE_CONSTRAINT_FOREIGNKEY, .SQLITE_CONSTRAINT_CHECK, false),
        (.SQLITE_OK, .SQLITE_CONSTRAINT, false),
    ])
    func aPrimaryCodeIsAPatternForItsExtendedCodes(_ pattern: ResultCode, _ code: ResultCode, _ matches: Bool) {
        #expect((pattern ~= code) == matches)
        #expect((pattern ~= DatabaseError(resultCode: code)) == matches)
    }

    @Test func aPrimaryCaseCatchesWhatExtendedCasesLeave() {
        func cause(_ code: ResultCode) -> String {
            switch code {
            case .SQLITE_CONSTRAINT_FOREIGNKEY: "foreign key"
            case .SQLITE_CONSTRAINT: "constraint"
            default: "other"
            }
        }
        #expect(cause(.SQLITE_CONSTRAINT_FOREIGNKEY) == "foreign key")
        #expect(cause(.SQLITE_CONSTRAINT_UNIQUE) == "constraint")
        #expect(cause(.SQLITE_BUSY) == "other")
    }

    @Test func otherErrorsMatchNoCode() {
        struct Other: Error {}
        #expect(!(ResultCode.SQLITE_ERROR ~= Other()))
    }

    @Test func theDescriptionHasTheNumberAndTheMessage() {
        #expect(ResultCode.SQLITE_CONSTRAINT.description == "19 (constraint failed)")
        #expect(ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY.description == "787 (constraint failed)")
        #expect(ResultCode.SQLITE_OK.description == "0 (not an error)")
    }
}
