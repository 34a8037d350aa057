// Long lists of values: they take few arguments, and their SQL does not depend on their length.

extension Renderer {
    /// The number of elements from which a list of expressions becomes a single argument.
    static var largeListCount: Int { 1_000 }

    /// Repeats the last value of a list, so lists of 9 to 999 values have seven texts instead of 991. Each text must be
    /// compiled and takes up an entry in the statement cache.
    mutating func repeatLastValue(of list: [SQLExpression]) {
        guard list.count > 8, !isInLiteral, case .bound = values, let last = list.last,
            case .value(let value) = last.node,
            !value.isNull
        else { return }
        var size = 16
        while size < list.count { size *= 2 }
        for _ in list.count..<size {
            sql += ", "
            write(value: value)
        }
    }

    /// The values of a long list of rows; nil if the list is short or contains expressions other than values.
    func values(ofLargeList rows: some Collection<[SQLExpression]>) -> [[DatabaseValue]]? {
        guard rows.count >= largeListCount else { return nil }
        var values: [[DatabaseValue]] = []
        values.reserveCapacity(rows.count)
        for row in rows {
            var rowValues: [DatabaseValue] = []
            for expression in row {
                switch expression.node {
                case .value(let value): rowValues.append(value)
                case .storable(let value): rowValues.append(value.databaseValue)
                default: return nil  // The value of any other expression is unknown.
                }
            }
            values.append(rowValues)
        }
        return values
    }

    /// `(SELECT +value FROM json_each(?))`, for the right operand of IN. Like a value, the expression `+value` has no
    /// affinity: SQLite applies the affinity of the compared column. <https://sqlite.org/datatype3.html#comparisons>
    mutating func write(rows: [[DatabaseValue]]) {
        guard let first = rows.first else {
            sql += "(SELECT NULL WHERE NULL)"
            return
        }
        if case .bound = values {
            sql += "("
            write(list: ValueRows(rows).parts, separator: " UNION ALL ") { $0.write($1) }
            sql += ")"
            return
        }
        guard first.count == 1 else { return writeTable(rows) }
        sql += "("
        write(list: rows) { $0.write(value: $1[0]) }
        sql += ")"
    }

    /// Writes rows whose values have the affinities of the given types.
    mutating func write(rows: [[DatabaseValue]], types: [String?]) {
        guard types.contains(where: { $0 != nil }) else { return write(rows: rows) }
        let names = types.indices.map { "key\($0)" }
        sql += "(WITH \"keys\"("
        write(list: names) { $0.write(identifier: $1) }
        sql += ") AS "
        if case .bound = values { write(rows: rows) } else { writeTable(rows) }
        sql += " SELECT "
        write(list: names.indices) { renderer, index in
            if types[index] != nil { renderer.sql += "CAST(" }
            renderer.write(identifier: names[index])
            if let type = types[index] { renderer.sql += " AS \(type))" }
        }
        sql += " FROM \"keys\")"
    }

    private mutating func writeTable(_ rows: [[DatabaseValue]]) {
        sql += "(VALUES "
        write(list: rows) { renderer, row in
            renderer.sql += "("
            renderer.write(list: row) { $0.write(value: $1) }
            renderer.sql += ")"
        }
        sql += ")"
    }

    private mutating func write(_ part: ValueRows.Part) {
        sql += "SELECT "
        var element = 0
        write(list: part.forms.indices) { renderer, index in
            let form = part.forms[index]
            let elements = (element..<element + form.width).map {
                part.isFlat ? "value" : "json_extract(value, '$[\($0)]')"
            }
            element += form.width
            switch form {
            case .plain: renderer.sql += part.isFlat ? "+value" : elements[0]
            case .blob:
                renderer.sql += "substr("
                renderer.write(value: DatabaseValue(storage: .blob(part.blobs[index])))
                renderer.sql += ", \(elements[0]) >> 32, \(elements[0]) & 4294967295)"
            case .double(let scale):
                renderer.sql += "CAST(\(elements[0]) AS REAL) * (1 << \(elements[1]))"
                for element in elements[2...] { renderer.sql += " / (1 << \(element))" }
                guard scale != 1 else { return }
                renderer.sql += " * "
                renderer.write(value: DatabaseValue(storage: .double(scale)))
            case .text(let nulls):
                renderer.sql += "replace(\(elements[0]), "
                renderer.write(value: DatabaseValue(storage: .string(String(nulls))))
                renderer.sql += ", char(0))"
            case .unstorable(let code):
                renderer.write(value: .unstorable(code: code))
            }
        }
        sql += " FROM json_each("
        write(value: DatabaseValue(storage: .string(part.json)))
        sql += ")"
    }
}
