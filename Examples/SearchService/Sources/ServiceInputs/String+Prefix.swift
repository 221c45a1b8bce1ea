extension String {
    /// The first Unicode scalars. A prefix of characters can be as long as the string, since a character can have any number of
    /// combining marks.
    func prefix(scalars count: Int) -> String { String(unicodeScalars.prefix(count)) }
}
