import Amalgam
import Testing

private struct HTTPRequest: TableRecord {}
private struct TOEFL: TableRecord {}
private struct PostalAddress: TableRecord {}
private struct UUIDRecordWithoutRowID: TableRecord {}
private struct BookFts4: TableRecord {}
private struct T: TableRecord {}
private struct Box<Content>: TableRecord {}

@Suite("The names of tables, made from the names of types")
struct DefaultTableNameTests {
    @Test("lose the capitals in front, but for the one that begins the next word")
    func names() {
        #expect(HTTPRequest.databaseTableName == "httpRequest")
        #expect(TOEFL.databaseTableName == "toefl")
        #expect(PostalAddress.databaseTableName == "postalAddress")
        #expect(UUIDRecordWithoutRowID.databaseTableName == "uuidRecordWithoutRowID")
        #expect(BookFts4.databaseTableName == "bookFts4")
        #expect(T.databaseTableName == "t")
        #expect(Box<Int>.databaseTableName == "box")
    }
}
