import AmalgamQuery
import Testing

struct InflectionsTests {
    /// Singulars and plurals that are derived from each other.
    static let pairs: KeyValuePairs = [
        "book": "books", "key": "keys", "photo": "photos", "axis": "axes", "octopus": "octopi", "virus": "viri",
        "alias": "aliases", "bias": "biases", "canvas": "canvases", "focus": "focuses", "gas": "gases",
        "lens": "lenses", "status": "statuses", "bus": "buses", "buffalo": "buffaloes", "tomato": "tomatoes",
        "hero": "heroes", "datum": "data", "medium": "media", "analysis": "analyses", "basis": "bases",
        "diagnosis": "diagnoses", "crisis": "crises", "testis": "testes", "knife": "knives", "shelf": "shelves",
        "half": "halves", "wolf": "wolves", "hive": "hives", "country": "countries", "query": "queries",
        "soliloquy": "soliloquies", "box": "boxes", "church": "churches", "class": "classes", "dish": "dishes",
        "address": "addresses", "matrix": "matrices", "vertex": "vertices", "index": "indices", "mouse": "mice",
        "louse": "lice", "ox": "oxen", "quiz": "quizzes", "database": "databases", "movie": "movies", "shoe": "shoes",
        "archive": "archives", "child": "children", "foot": "feet", "leaf": "leaves", "man": "men", "move": "moves",
        "person": "people", "sex": "sexes", "specimen": "specimens", "zombie": "zombies", "woman": "women",
        "grandchild": "grandchildren", "human": "humen", "tooth": "tooths", "goose": "gooses", "player": "players",
        "b": "bs", "littlePuppy": "littlePuppies", "kitten": "kittens", "team": "teams", "award": "awards",
        "sponsor": "sponsors", "subordinate": "subordinates", "xb": "xbs",
    ]

    @Test(arguments: pairs.map { ($0.key, $0.value) })
    func wordsHaveTwoForms(_ singular: String, _ plural: String) {
        #expect(Inflections.default.pluralize(singular) == plural)
        #expect(Inflections.default.singularize(plural) == singular)
    }

    @Test(arguments: ["players", "countries", "children", "people", "data", "media", "oxen", "mice", "feet", "octopi"])
    func thePluralOfAPluralIsThePlural(_ word: String) {
        #expect(Inflections.default.pluralize(word) == word)
    }

    @Test(arguments: [
        "player", "country", "child", "person", "status", "gas", "bus", "address", "news", "series", "species", "virus",
        "axis", "crisis", "analysis", "lens",
    ])
    func theSingularOfASingularIsTheSingular(_ word: String) {
        #expect(Inflections.default.singularize(word) == word)
    }

    @Test(arguments: ["news", "campus", "bonus"])
    func somePluralsAreTheSingular(_ word: String) {
        #expect(Inflections.default.pluralize(word) == word)
    }

    @Test func someFormsAreWrongAndStayAsTheyAre() {
        #expect(Inflections.default.singularize("olives") == "olife")
    }

    @Test(arguments: [
        "advice", "corps", "dice", "equipment", "fish", "information", "jeans", "kudos", "money", "offspring", "police",
        "rice", "sheep", "species", "blackSheep", "black_sheep", "black sheep", "SHEEP",
    ])
    func someWordsHaveOneForm(_ word: String) {
        #expect(Inflections.default.pluralize(word) == word)
        #expect(Inflections.default.singularize(word) == word)
    }

    @Test(arguments: [
        ("postalAddress", "postalAddresses"), ("lineItem", "lineItems"), ("teamPerson", "teamPeople"),
        ("bookIndex", "bookIndices"), ("line_item", "line_items"), ("line item", "line items"),
        ("myOx", "myOxen"), ("my_mouse", "my_mice"), ("HTTPRequest", "HTTPRequests"), ("Child", "Children"),
    ])
    func theLastWordChanges(_ singular: String, _ plural: String) {
        #expect(Inflections.default.pluralize(singular) == plural)
        #expect(Inflections.default.singularize(plural) == singular)
    }

    @Test(arguments: [("player2", "players2"), ("d1", "ds1"), ("person007", "people007")])
    func digitsAtTheEndStayThere(_ singular: String, _ plural: String) {
        #expect(Inflections.default.pluralize(singular) == plural)
        #expect(Inflections.default.singularize(plural) == singular)
    }

    @Test(arguments: ["", "12", "foo_", "foo ", "_"])
    func whatHasNoLastWordStaysAsItIs(_ string: String) {
        #expect(Inflections.default.pluralize(string) == string)
        #expect(Inflections.default.singularize(string) == string)
    }

    @Test func lettersKeepTheirCase() {
        #expect(Inflections.default.pluralize("NEWS") == "NEWS")
        #expect(Inflections.default.pluralize("CHILD") == "Children")
        #expect(Inflections.default.pluralize("éCole") == "éColes")
    }
}

struct InflectionRulesTests {
    @Test func withoutRulesWordsStayAsTheyAre() {
        let inflections = Inflections()
        #expect(inflections.pluralize("player") == "player")
        #expect(inflections.singularize("players") == "players")
    }

    @Test func rulesAddedLaterTakePrecedence() {
        var inflections = Inflections.default
        #expect(inflections.pluralize("tooth") == "tooths")
        inflections.irregularSuffix("tooth", "teeth")
        #expect(inflections.pluralize("tooth") == "teeth")
        #expect(inflections.pluralize("wisdomTooth") == "wisdomTeeth")
        #expect(inflections.singularize("Teeth") == "Tooth")
        inflections.plural("^tooth$", "toothies")
        #expect(inflections.pluralize("Tooth") == "toothies")
        // The copy has separate rules.
        #expect(Inflections.default.pluralize("tooth") == "tooths")
    }

    @Test func optionsAreThoseOfTheExpression() {
        var inflections = Inflections()
        inflections.plural("x$", options: [], "y")
        inflections.singular("y$", options: [], "x")
        #expect(inflections.pluralize("ax") == "ay")
        #expect(inflections.pluralize("aX") == "aX")
        #expect(inflections.singularize("ay") == "ax")
    }

    @Test func oneRuleIsAppliedOnce() {
        var inflections = Inflections()
        inflections.plural("a", "aa")
        #expect(inflections.pluralize("banana") == "baanana")
    }

    @Test func irregularWordsMayBeginWithDifferentLetters() {
        var inflections = Inflections.default
        inflections.irregularSuffix("cow", "kine")
        #expect(inflections.pluralize("cow") == "kine")
        #expect(inflections.pluralize("Cow") == "Kine")
        #expect(inflections.pluralize("KINE") == "Kine")
        #expect(inflections.singularize("kine") == "cow")
        #expect(inflections.singularize("seaKine") == "seaCow")
    }

    @Test func irregularWordsArePlainText() {
        var inflections = Inflections()
        inflections.irregularSuffix("a.b", "a$1")
        #expect(inflections.pluralize("a.b") == "a$1")
        #expect(inflections.pluralize("axb") == "axb")
        inflections.irregularSuffix("", "x")
        inflections.irregularSuffix("x", "")
        #expect(inflections.pluralize("x") == "x")
    }

    @Test func uncountableWordsIgnoreCase() {
        var inflections = Inflections.default
        inflections.uncountableWords(["Foo", "bar"])
        #expect(inflections.pluralize("foo") == "foo")
        #expect(inflections.pluralize("myBar") == "myBar")
        #expect(inflections.pluralize("foobar") == "foobars")
    }

    @Test func aPatternThatIsNotValidIsIgnored() {
        var inflections = Inflections()
        inflections.plural("(", "x")
        inflections.singular("(", "x")
        #expect(inflections.pluralize("(") == "(")
        #expect(inflections.singularize("(") == "(")
    }

    @Test func manyWordsAreInflected() {
        for number in 0..<3000 {
            let word = "word_\(number)x"
            #expect(Inflections.default.pluralize(word) == word + "es")
        }
    }
}
