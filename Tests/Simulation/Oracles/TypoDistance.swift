/// The number of typos between two words.
enum TypoDistance {
    /// Inserted, deleted and replaced characters, and adjacent characters in the wrong order.
    static func of(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        var table = [[Int]](repeating: Array(0...right.count), count: left.count + 1)
        for row in 0...left.count { table[row][0] = row }
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        for row in 1...left.count {
            for column in 1...right.count {
                let isEqual = left[row - 1] == right[column - 1]
                var best = min(table[row - 1][column] + 1, table[row][column - 1] + 1)
                best = min(best, table[row - 1][column - 1] + (isEqual ? 0 : 1))
                if row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1] {
                    best = min(best, table[row - 2][column - 2] + 1)
                }
                table[row][column] = best
            }
        }
        return table[left.count][right.count]
    }
}
