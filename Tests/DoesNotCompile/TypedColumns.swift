// What typed columns refuse. Scripts/check-does-not-compile compiles this file: each line that is marked must give an
// error, and no other line.

import Foundation
import Rowan

let id = TypedColumn<Int64>("id")
let score = TypedColumn<Int>("score")
let bonus = TypedColumn<Int?>("bonus")
let name = TypedColumn<String>("name")
let flag = TypedColumn<Bool>("flag")
let date = TypedColumn<Date>("date")

func comparisons() {
    _ = score == 1
    _ = score == nil
    _ = score == "text"  // error
    _ = score != "text"  // error
    _ = score === "text"  // error
    _ = score !== 1.5  // error
    _ = score < "text"  // error
    _ = score <= name  // error
    _ = score > 1.5  // error
    _ = score >= Date()  // error
    _ = score == id  // error
    _ = score == bonus
    _ = bonus == name  // error
    _ = bonus == "text"  // error
    _ = date > "2024-01-01"  // error
    _ = date > Date()
    _ = max(score) == "text"  // error
    _ = max(score) > 10
    _ = max(name) == name
    _ = average(score) > "text"  // error
    _ = (bonus ?? 0) == "text"  // error
    _ = bonus ?? "text"  // error
}

func lists() {
    _ = [1, 2].contains(score)
    _ = ["a", "b"].contains(score)  // error
    _ = [1, 2].contains(bonus)
    _ = (1...2).contains(score)
    _ = (1.5...2).contains(score)  // error
    _ = ("a"..<"b").contains(score)  // error
}

func assignments() {
    _ = score.set(to: 1)
    _ = score.set(to: "text")  // error
    _ = score.set(to: nil)  // error
    _ = bonus.set(to: nil)
    _ = bonus.set(to: score)
    _ = score.set(to: name)  // error
    let assignment: ColumnAssignment = score += 1
    _ = assignment
    let wrong: ColumnAssignment = score += "text"  // error
    let text: ColumnAssignment = name += "text"  // error
}

func arithmetic() {
    _ = score + 1 > 2
    _ = score * 2 - 1 == score
    _ = -score / 2 > 1
    _ = 2 * score + score > 10 && flag
    _ = score + "text"  // error
    _ = score * 1.5  // error
    _ = score + name  // error
    _ = name + name  // error
    _ = (score + 1) > "text"  // error
    _ = flag && !flag
    _ = flag == true
    _ = flag == "text"  // error
    _ = flag + 1  // error
    _ = score && flag  // error
}

func texts() {
    _ = name.like("a%")
    _ = score.like("a%")  // error
    _ = score.collating(.nocase)  // error
}

func rows(_ row: Row) {
    let number: Int = row[score]
    let text: String = row[score]  // error
    let nothing: Int = row[bonus]  // error
}

func others() {
    // Other columns compare with anything.
    _ = Column("score") == "text"
    _ = score.untyped == "text"
    _ = score == Column("a")
    _ = Column("a") > 1 && score > 1
}
