// Arguments are read from existentials of all shapes: inline, boxed, of classes, empty.

import Foundation
import Rowan
import Testing

struct ArgumentLiteralTests {
    private struct Empty: DatabaseValueConvertible {
        var databaseValue: DatabaseValue { "empty".databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Empty? { Empty() }
    }

    /// Larger than the buffer of an existential, with a reference to release.
    private struct Large: DatabaseValueConvertible {
        var token: Token
        var numbers = (1, 2, 3, 4, 5)
        var databaseValue: DatabaseValue { (numbers.0 + numbers.4).databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Large? { nil }
    }

    private final class Token {}

    private enum Color: String, DatabaseValueConvertible { case red }

    @Test func literals() {
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            let large = Large(token: token)
            let none: Int? = nil
            let existential: (any DatabaseValueConvertible)? = large
            let arguments: StatementArguments = [
                1, nil, "a", 1.5, true, Data([1]), Color.red, Empty(), large, none, Int?.some(2), existential,
                NSNumber(value: 3), DatabaseValue.null, "a text that is longer than a small one", existential,
            ]
            let expected: [DatabaseValue] = [
                1.databaseValue, .null, "a".databaseValue, 1.5.databaseValue, 1.databaseValue, Data([1]).databaseValue,
                "red".databaseValue, "empty".databaseValue, 6.databaseValue, .null, 2.databaseValue, 6.databaseValue,
                3.databaseValue, .null, "a text that is longer than a small one".databaseValue, 6.databaseValue,
            ]
            #expect(arguments == StatementArguments(expected))
            #expect(large.numbers == (1, 2, 3, 4, 5))
            let empty: StatementArguments = []
            #expect(empty.isEmpty)
        }
        #expect(weakToken == nil)
    }
}
