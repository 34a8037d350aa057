import Foundation
import RowanRecords

// Each error is at the property that causes it. ProblemTests covers all messages.

@Record final class Object {  // error 21: @Record needs a struct: a class 'Object' can't have it: declare a struct
    var id = 1
}

@Record struct Empty {  // error 16: 'Empty' has no stored property, so there is nothing to store or to read: declare
    static let id = 1
}

@Record("place") struct Place {
    var id: Int64?
    let kind = 1  // error 9: 'kind' is a constant with a value, which no row can change: declare it
    lazy var double = 2  // error 14: 'double' is lazy, but a column needs a value
    var (a, b) = (1, 2)  // error 9: a tuple of properties can't be matched with columns: declare
    var pair: (Int, Int) = (1, 2)  // error 9: a tuple can't be stored in a column: add @Ignored
    var action: () -> Void = {}  // error 9: a function can't be stored in a column: add @Ignored
    @Column("ID") var other: Int  // error 23: 'id' and 'other' are stored in the same column
    @Ignored var isSelected: Bool  // error 18: 'isSelected' is ignored, so a record that is read from a row
    #if DEBUG
    var debug: Int  // error 9: 'debug' is inside '#if', so the macro can't know whether it exists: move it out
    #endif
}

struct Opaque {}

struct ReadOnly: Decodable {
    var a: Int
}

@Record struct Unstorable {
    var id: Int64?
    var opaque: Opaque  // error 9: this type has no column: make it Codable, give an enum a raw value
    var a: Int, read: ReadOnly?  // error 17: this type has no column: make it Codable
}

@Selection struct Unreadable {
    var count: Int
    var opaque: Opaque  // error 9: neither a value nor a record
}

func function() {
    @Record struct Local {  // error 20: local type cannot have attached extension macro
        var id: Int
    }
}

@Record struct Typed {
    var id: Int64?
    var name: String
}

func requests() {
    _ = Typed.filter { $0.name == 3 }  // error
    _ = Typed.filter { $0.nmae == "a" }  // error
    _ = Typed.filter { $0.id == 3 && $0.name == "a" }
}

@Record struct Stored {
    var id: Int64?
    @Column(as: .unixTime) var date: String  // error 32: the storage of @Column(as:) has another type than the property
}

@Record struct Key {
    let id: Int64?  // error 9: the optional key 'id' is a constant, so an insertion can't set it
    var name: String
}

@Record struct Names {
    var id: Int64?
    var `self`: Int  // error 9: a property named 'self' hides what the generated code refers to: rename it
    var `Self`: Int  // error 9: a property named 'Self' hides what the generated code refers to
    var Rowan: Int  // error 9: keep the column with @Column("Rowan")
    @Column("Rowan") var rowan: Int
}

enum Plain { case a, b }

enum Raw: String { case a, b }

enum RawNumber: Int, DatabaseValueConvertible { case a, b }

enum RawText: String, Codable { case a, b }

@Record struct Enumerations {
    var id: Int64?
    var plain: Plain  // error 9: give an enum a raw value and DatabaseValueConvertible
    var raw: Raw  // error 9: as in `enum Kind: String, DatabaseValueConvertible`
    var optional: Raw?  // error 9: conform it to DatabaseValueConvertible, as in `enum Kind: String
    var number: RawNumber, text: RawText?
}

@Record("place", memberwise: true) public struct Inferred {
    public var id: Int64?
    public var created = Date()  // error 16: the memberwise initializer needs the type of 'created'
}
