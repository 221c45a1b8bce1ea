extension Inflections {
    /// The rules for English. The names of associated rows are derived with these rules, and existing apps read rows by
    /// these names. Therefore, the forms of a word must not change between versions.
    static var english: Inflections {
        var inflections = Inflections()
        inflections.addEnglishPlurals()
        inflections.addEnglishSingulars()
        inflections.addEnglishIrregularWords()
        return inflections
    }

    /// Singular words that end with s.
    private static var singularsInS: String { "(alias|bias|canvas|focus|gas|lens|status)" }

    private mutating func addEnglishPlurals() {
        plural("$", "s")
        plural("(s)$", "$1")
        plural("^(ax|test)is$", "$1es")
        plural("(octop|vir)(?:us|i)$", "$1i")
        plural(Self.singularsInS + "$", "$1es")
        plural("(bus)$", "$1es")
        plural("(buffalo|tomato|hero)$", "$1es")
        plural("([ti])um$", "$1a")
        plural("([ti]a)$", "$1")
        plural("(s)is$", "$1es")
        plural("([^f])fe$", "$1ves")
        plural("([lr])f$", "$1ves")
        plural("(hive)$", "$1s")
        plural("([^aeiouy]|qu)y$", "$1ies")
        plural("(x|ch|ss|sh)$", "$1es")
        plural("(matr|vert|ind)(?:ix|ex)$", "$1ices")
        plural("^([ml])(?:ouse|ice)$", "$1ice")
        plural("^(ox)(?:en)?$", "$1en")
        plural("(quiz)$", "$1zes")
    }

    private mutating func addEnglishSingulars() {
        singular("s$", "")
        singular("(ss)$", "$1")
        singular("(news)$", "$1")
        singular("([ti])a$", "$1um")
        singular("(analy|ba|diagno|parenthe|progno|synop|the)s[ie]s$", "$1sis")
        singular("([^f])ves$", "$1fe")
        singular("(hive|tive)s$", "$1")
        singular("([lr])ves$", "$1f")
        singular("([^aeiouy]|qu)ies$", "$1y")
        singular("(series)$", "$1")
        singular("(movie)s$", "$1")
        singular("(x|ch|ss|sh)es$", "$1")
        singular("^([ml])ice$", "$1ouse")
        singular("(bus)(?:es)?$", "$1")
        singular("(o)es$", "$1")
        singular("(shoe)s$", "$1")
        singular("(cris|test)[ie]s$", "$1is")
        singular("^(ax)[ie]s$", "$1is")
        singular("(octop|vir)(?:us|i)$", "$1us")
        singular(Self.singularsInS + "(?:es)?$", "$1")
        singular("^(ox)en$", "$1")
        singular("(vert|ind)ices$", "$1ex")
        singular("(matr)ices$", "$1ix")
        singular("(quiz)zes$", "$1")
        singular("(database)s$", "$1")
    }

    private mutating func addEnglishIrregularWords() {
        irregularSuffix("child", "children")
        irregularSuffix("foot", "feet")
        irregularSuffix("leaf", "leaves")
        irregularSuffix("man", "men")
        irregularSuffix("move", "moves")
        irregularSuffix("person", "people")
        irregularSuffix("sex", "sexes")
        irregularSuffix("specimen", "specimens")
        irregularSuffix("zombie", "zombies")
        uncountableWords([
            "advice", "corps", "dice", "equipment", "fish", "information", "jeans", "kudos", "money", "offspring",
            "police", "rice", "sheep", "species",
        ])
    }
}
