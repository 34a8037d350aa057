// Expressions that typed columns reject. Scripts/check-does-not-compile compiles this file: exactly the marked lines
// must give an error.

import Foundation
import Rowan

let id = TypedColumn<Int64>("id")
let score = TypedColumn<Int>("score")
let bonus = TypedColumn<Int?>("bonus")
let name = TypedColumn<String>("name")
let flag = TypedColumn<Bool>("flag")
let date = TypedColumn<Date>("date")
let key = TypedColumn<Int64?>("key")
let price = TypedColumn<Double>("price")

func comparisons() {
    _ = score == 1
    _ = score == nil
    _ = score == "text"  // error: the two sides have different types: convert the value
    _ = score != "text"  // error: the two sides have different types: convert the value
    _ = score === "text"  // error: the two sides have different types: convert the value
    _ = score !== 1.5  // error: the two sides have different types: convert the value
    _ = score < "text"  // error: the two sides have different types: convert the value
    _ = score <= name  // error: the two sides have different types: convert the value
    _ = score > 1.5  // error: the two sides have different types: convert the value
    _ = score >= Date()  // error: the two sides have different types: convert the value
    _ = score == id  // error: the two sides have different types: convert the value
    _ = score == bonus
    _ = bonus == name  // error: the two sides have different types: convert the value
    _ = bonus == "text"  // error: the two sides have different types: convert the value
    _ = date > "2024-01-01"  // error: the two sides have different types: convert the value
    _ = date > Date()
    _ = max(score) == "text"  // error: the two sides have different types: convert the value
    _ = max(score) > 10
    _ = max(name) == name
    _ = average(score) > "text"  // error: the two sides have different types: convert the value
    _ = (bonus ?? 0) == "text"  // error: the two sides have different types: convert the value
    _ = bonus ?? "text"  // error: or use `$0.score.untyped ?? value`
}

func integers(number: Int, optional: Int?, small: UInt8) {
    _ = id == number  // error 12: convert the value, as in `Int64(number)`
    _ = key == number  // error 13: convert the value, as in `Int64(number)`
    _ = key != number && name == "a"  // error 13: convert the value, as in `Int64(number)`
    _ = key === number  // error 13: convert the value, as in `Int64(number)`
    _ = key > number  // error 13: convert the value, as in `Int64(number)`
    _ = key == optional  // error 13: convert the value, as in `number.map { Int64($0) }`
    _ = id != optional  // error 12: convert the value, as in `number.map { Int64($0) }`
    _ = score == small  // error 15: convert the value, as in `Int64(number)`
    _ = score > optional  // error 15: the value is an optional
    _ = price > number  // error 15: the two sides have different types: convert the value
    _ = score == optional
    _ = key == Int64(number)
    _ = key == optional.map { Int64($0) }
}

func values(number: Int) {
    _ = 10 < score  // error
    _ = number == key  // error
    _ = Column("a") < score
}

func lists(numbers: [Int]) {
    _ = numbers.contains(key)  // error 17: the elements have another type than the column
    _ = ("a"...).contains(score)  // error 18: the bounds have another type than the column
    _ = [1, 2].contains(score)
    _ = ["a", "b"].contains(score)  // error: the elements have another type than the column
    _ = [1, 2].contains(bonus)
    _ = (1...2).contains(score)
    _ = (1.5...2).contains(score)  // error: the bounds have another type than the column
    _ = ("a"..<"b").contains(score)  // error: the bounds have another type than the column
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
    let wrong: ColumnAssignment = score += "text"  // error: or use `$0.score.untyped += value`
    let text: ColumnAssignment = name += "text"  // error: or use `$0.score.untyped += value`
}

func arithmetic() {
    _ = score + 1 > 2
    _ = score * 2 - 1 == score
    _ = -score / 2 > 1
    _ = 2 * score + score > 10 && flag
    _ = score + "text"  // error: the operands must be numbers of the same type
    _ = score * 1.5  // error: the operands must be numbers of the same type
    _ = score + name  // error: the operands must be numbers of the same type
    _ = price * score > 1  // error 15: the operands must be numbers of the same type
    _ = score || flag  // error
    _ = score + score > "text" && flag  // error 23: the two sides have different types: convert the value
    _ = name + name  // error: use `concat($0.name, "!")` to join texts
    _ = (score + 1) > "text"  // error: the two sides have different types: convert the value
    _ = flag && !flag
    _ = flag == true
    _ = flag == "text"  // error: the two sides have different types: convert the value
    _ = flag + 1  // error: the operands must be numbers of the same type
    _ = score && flag  // error
}

func texts() {
    _ = name.like("a%")
    _ = score.like("a%")  // error
    _ = score.collating(.nocase)  // error
}

func rows(_ row: Row) {
    let number: Int = row[score]
    let text: String = row[score]  // error: or use `row[Columns.score.untyped]`
    let nothing: Int = row[bonus]  // error: or use `row[Columns.score.untyped]`
}

func others() {
    // Untyped columns compare with anything.
    _ = Column("score") == "text"
    _ = score.untyped == "text"
    _ = score == Column("a")
    _ = Column("a") > 1 && score > 1
}
