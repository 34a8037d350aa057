// The columns that link the rows of two tables. SQLite enforces a foreign key with the collation and the affinity of the
// column that it refers to; all conditions on such columns are made here, with this collation, and as numbers if the key is
// a number. An untyped column that refers to texts is compared as it is: no cast makes SQLite convert it.
// Source: https://sqlite.org/foreignkeys.html

/// A column of the origin, and the column of the destination that must equal it.
package struct ColumnPair: Hashable, Sendable {
    package var origin: String
    package var destination: String
    /// What makes SQLite compare the columns as it enforces their foreign key; nil if it does so by itself.
    package var conversion: KeyConversion?

    package init(origin: String, destination: String, conversion: KeyConversion? = nil) {
        self.origin = origin
        self.destination = destination
        self.conversion = conversion
    }

    /// The pair, as seen from the destination.
    package var reversed: ColumnPair {
        ColumnPair(origin: destination, destination: origin, conversion: conversion?.reversed)
    }

    /// What the column of the destination needs, if it is the foreign one. Compared with a column that it refers to, or
    /// with a value that refers to it, a key decides by itself.
    package var foreignConversion: KeyConversion? { conversion?.foreign == .destination ? conversion : nil }

    /// The column of the destination, as the left side of a comparison.
    func destination(in table: TableReference) -> SQLExpression {
        let column = Resolver.column(destination, table)
        // Not `??`, which is an operator of SQL for expressions.
        guard let collation = foreignConversion?.collation else { return column }
        return SQLExpression(.collated(column, collation))
    }

    /// The condition that two rows are linked.
    func links(_ origin: TableReference, to destination: TableReference) -> SQLExpression {
        SQLExpression(
            .equal(self.destination(in: destination), Resolver.column(self.origin, origin), isNegated: false))
    }
}

/// How a foreign column is compared with the key that it refers to, where the two columns differ.
package struct KeyConversion: Hashable, Sendable {
    /// The side of the foreign column.
    package var foreign: ForeignKeyLink.Holder
    /// The collation of the key; nil if the foreign column has it too.
    package var collation: String?
    /// Whether the key has a numeric affinity and the foreign column has not: texts are then compared as numbers.
    package var isNumeric: Bool

    /// Only an expression of the form CAST has an affinity, as the key has. A number stays what it is.
    /// <https://sqlite.org/datatype3.html#affinity_of_expressions>
    fileprivate static var numericType: String { "NUMERIC" }

    /// The conversion, as seen from the destination.
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
    /// The condition that the columns of the destination refer to one of some keys.
    package func destination(in table: TableReference, isOneOf keys: [[DatabaseValue]]) -> SQLExpression {
        let columns = map { $0.destination(in: table) }
        let column = Resolver.tuple(columns)
        let areNumeric = map { $0.foreignConversion?.isNumeric == true }
        guard areNumeric.contains(true) else { return column.isOne(of: keys) }
        // Texts in the column of the key stay texts.
        let forms = Dictionary(grouping: keys) { zip($0, areNumeric).map { $0.isNumber && $1 } }
        let conditions = forms.map { (types: $0.key.map { $0 ? KeyConversion.numericType : nil }, keys: $0.value) }
            .sorted { "\($0.types)" < "\($1.types)" }
            .map { SQLExpression(.isIn(column, .values($0.keys, types: $0.types), isNegated: false)) }
        return .joined(conditions, by: .or)
    }

    /// The condition that the columns of the destination refer to a key, term by term.
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
