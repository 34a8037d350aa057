// The columns that link the rows of two tables. SQLite enforces a foreign key with the collation and affinity of the
// referenced column. All conditions on such columns are built here, with this collation, and numerically if the key is
// a number. An untyped column that refers to texts is compared unchanged: no cast makes SQLite convert it.
// Source: https://sqlite.org/foreignkeys.html

/// A column of the origin, and the column of the destination that must equal it.
package struct ColumnPair: Hashable, Sendable {
    package var origin: String
    package var destination: String
    /// The conversion that makes SQLite compare the columns as it enforces their foreign key; nil if none is needed.
    package var conversion: KeyConversion?

    package init(origin: String, destination: String, conversion: KeyConversion? = nil) {
        self.origin = origin
        self.destination = destination
        self.conversion = conversion
    }

    /// The pair as seen from the destination.
    package var reversed: ColumnPair {
        ColumnPair(origin: destination, destination: origin, conversion: conversion?.reversed)
    }

    /// The conversion of the destination's column, if it is the foreign one. In a comparison with a referenced column,
    /// or with a value that refers to it, the key's own collation and affinity apply.
    package var foreignConversion: KeyConversion? { conversion?.foreign == .destination ? conversion : nil }

    /// The column of the destination, as the left side of a comparison.
    func destination(in table: TableReference) -> SQLExpression {
        let column = Resolver.column(destination, table)
        // Not `??`, which is an SQL operator on expressions.
        guard let collation = foreignConversion?.collation else { return column }
        return SQLExpression(.collated(column, collation))
    }

    /// The condition that links the two rows.
    func links(_ origin: TableReference, to destination: TableReference) -> SQLExpression {
        SQLExpression(
            .equal(self.destination(in: destination), Resolver.column(self.origin, origin), isNegated: false))
    }
}

/// The comparison of a foreign column with the key it refers to, where the two columns differ.
package struct KeyConversion: Hashable, Sendable {
    /// The side that has the foreign column.
    package var foreign: ForeignKeyLink.Holder
    /// The collation of the key; nil if the foreign column has the same one.
    package var collation: String?
    /// Whether the key has a numeric affinity and the foreign column does not: texts are then compared as numbers.
    package var isNumeric: Bool

    /// Only an expression of the form CAST has an affinity, like the key. Numbers don't change.
    /// <https://sqlite.org/datatype3.html#affinity_of_expressions>
    fileprivate static var numericType: String { "NUMERIC" }

    /// The conversion as seen from the destination.
    fileprivate var reversed: KeyConversion {
        KeyConversion(
            foreign: foreign == .origin ? .destination : .origin, collation: collation, isNumeric: isNumeric)
    }

    package init(foreign: ForeignKeyLink.Holder, collation: String?, isNumeric: Bool) {
        self.foreign = foreign
        self.collation = collation
        self.isNumeric = isNumeric
    }
}

extension [ColumnPair] {
    /// The condition that the columns of the destination refer to one of the keys.
    package func destination(in table: TableReference, isOneOf keys: [[DatabaseValue]]) -> SQLExpression {
        let columns = map { $0.destination(in: table) }
        let column = Resolver.tuple(columns)
        let areNumeric = map { $0.foreignConversion?.isNumeric == true }
        guard areNumeric.contains(true) else { return column.isOne(of: keys) }
        // Texts in the key's column remain texts.
        let forms = Dictionary(grouping: keys) { zip($0, areNumeric).map { $0.isNumber && $1 } }
        let conditions = forms.map { (types: $0.key.map { $0 ? KeyConversion.numericType : nil }, keys: $0.value) }
            .sorted(on: { "\($0.types)" })
            .map { SQLExpression(.isIn(column, .values($0.keys, types: $0.types), isNegated: false)) }
        return .joined(conditions, by: .or)
    }

    /// The condition that the columns of the destination refer to a key, one term per column.
    package func destination(in table: TableReference, is key: [DatabaseValue]) -> [SQLExpression] {
        zip(self, key).map { pair, value in
            let term = SQLExpression(.value(value))
            let isCast = pair.foreignConversion?.isNumeric == true && value.isNumber
            let operand = isCast ? SQLExpression(.cast(term, KeyConversion.numericType)) : term
            return SQLExpression(.equal(pair.destination(in: table), operand, isNegated: false))
        }
    }
}

extension DatabaseValue {
    fileprivate var isNumber: Bool {
        switch storage {
        case .int64, .double: true
        case .null, .string, .blob: false
        }
    }
}
