import Amalgam
import CAmalgam

/// A tokenizer that splits strings at blanks, and whose calls perform the steps of a scenario.
final class CallbackTokenizer: FTS5CustomTokenizer {
    static let name = "stage"

    init(db: Database, arguments: [String]) {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        guard let pText else { return SQLITE_OK }
        let bytes = UnsafeBufferPointer(start: pText, count: Int(nText))
        for word in bytes.split(separator: CChar(0x20)) {
            // The C function has no message, so the code must be one that needs none.
            do { try ScenarioRun.current?.call(.tokenizer) } catch { return SQLITE_ABORT }
            let code = tokenCallback(
                context, 0, pText + word.startIndex, CInt(word.count), CInt(word.startIndex), CInt(word.endIndex))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }
}
