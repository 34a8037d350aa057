// Function calls, with properties that their SQL does not show.

extension SQLExpression {
    /// A function call: `name(DISTINCT a, b ORDER BY d) FILTER (WHERE c)`.
    package struct FunctionCall: Hashable, Sendable {
        package var name: String
        package var arguments: [SQLExpression]
        package var isDistinct = false
        package var isStar = false
        package var filter: SQLExpression?
        /// The order in which an aggregate processes the rows. Requires SQLite 3.44.
        package var orderings: [SQLOrdering] = []
        let kind: Kind
        let result: Result
        let jsonFunction: JSONFunction?

        /// The rows that a function processes.
        package enum Kind: Hashable, Sendable {
            /// One row.
            case scalar
            /// All rows of a group. <https://sqlite.org/lang_aggfunc.html>
            case aggregate
            /// The rows of a window. <https://sqlite.org/windowfunctions.html>
            case window
        }

        /// The value that a function returns.
        package enum Result: Hashable, Sendable {
            /// A new value.
            case own
            /// The value of one of its arguments.
            case argument
            /// The first argument that is not NULL. Values among the arguments take the stored form of the columns
            /// among them.
            case firstArgument
        }

        package init(
            _ name: String, _ arguments: [SQLExpression], _ kind: Kind = .scalar, result: Result = .own,
            filter: SQLExpression? = nil
        ) {
            self.init(name, arguments, kind, result, nil, filter)
        }

        init(_ function: AggregateFunction, _ argument: SQLExpression, filter: SQLExpression? = nil) {
            self.init(function.rawValue, [argument], .aggregate, function.result, nil, filter)
        }

        init(_ function: JSONFunction, _ arguments: [SQLExpression], filter: SQLExpression? = nil) {
            self.init(function.rawValue, arguments, function.kind, .own, function, filter)
        }

        private init(
            _ name: String, _ arguments: [SQLExpression], _ kind: Kind, _ result: Result,
            _ jsonFunction: JSONFunction?, _ filter: SQLExpression?
        ) {
            self.name = name
            self.arguments = arguments
            self.kind = kind
            self.result = result
            self.jsonFunction = jsonFunction
            self.filter = filter
        }

        /// `COUNT(*)`
        package static var countOfRows: FunctionCall {
            var call = FunctionCall("COUNT", [], .aggregate)
            call.isStar = true
            return call
        }

        /// Whether the call reduces all rows to one: only aggregates have filters.
        var isAggregate: Bool { kind == .aggregate || filter != nil }
    }

    /// An aggregate function with one argument.
    package enum AggregateFunction: String, Hashable, Sendable {
        case average = "AVG"
        case count = "COUNT"
        case max = "MAX"
        case min = "MIN"
        case sum = "SUM"
        case total = "TOTAL"

        var result: FunctionCall.Result {
            switch self {
            case .max, .min: .argument
            case .average, .count, .sum, .total: .own
            }
        }
    }

    /// A function of JSON. <https://sqlite.org/json1.html>
    package enum JSONFunction: String, Hashable, Sendable {
        case json = "JSON"
        case array = "JSON_ARRAY"
        case arrayLength = "JSON_ARRAY_LENGTH"
        case errorPosition = "JSON_ERROR_POSITION"
        case extract = "JSON_EXTRACT"
        case groupArray = "JSON_GROUP_ARRAY"
        case groupObject = "JSON_GROUP_OBJECT"
        case insert = "JSON_INSERT"
        case object = "JSON_OBJECT"
        case patch = "JSON_PATCH"
        case pretty = "JSON_PRETTY"
        case quote = "JSON_QUOTE"
        case remove = "JSON_REMOVE"
        case replace = "JSON_REPLACE"
        case set = "JSON_SET"
        case type = "JSON_TYPE"
        case valid = "JSON_VALID"
        case binary = "JSONB"

        var kind: FunctionCall.Kind {
            switch self {
            case .groupArray, .groupObject: .aggregate
            case .json, .array, .arrayLength, .errorPosition, .extract, .insert, .object, .patch, .pretty, .quote,
                .remove, .replace, .set, .type, .valid, .binary:
                .scalar
            }
        }

        /// Whether SQLite recognizes the result as JSON, text or binary.
        var returnsJSON: Bool {
            switch self {
            case .json, .array, .groupArray, .groupObject, .insert, .object, .patch, .quote, .remove, .replace, .set,
                .binary:
                true
            // These return a value of any type, or a text that SQLite does not treat as JSON.
            case .arrayLength, .errorPosition, .extract, .pretty, .type, .valid: false
            }
        }

        /// The function that returns binary JSON for the same arguments.
        var binaryName: String? {
            switch self {
            case .json, .array, .extract, .groupArray, .groupObject, .insert, .object, .patch, .remove, .replace, .set:
                "JSONB" + rawValue.dropFirst("JSON".count)
            case .arrayLength, .errorPosition, .pretty, .quote, .type, .valid, .binary: nil
            }
        }
    }
}
