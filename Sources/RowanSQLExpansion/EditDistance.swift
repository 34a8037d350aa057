// How much two names resemble each other.

/// The number of insertions, deletions, replacements and exchanges of neighbours that make one name the other.
func editDistance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.lowercased()), Array(second.lowercased()))
    var rows = [Array(0...second.count)]
    for (i, character) in first.enumerated() {
        var row = [i + 1]
        for (j, other) in second.enumerated() {
            var distance = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (character == other ? 0 : 1))
            if i > 0, j > 0, character == second[j - 1], first[i - 1] == other {
                distance = min(distance, rows[i - 1][j - 1] + 1)
            }
            row.append(distance)
        }
        rows.append(row)
    }
    return rows[first.count][second.count]
}
