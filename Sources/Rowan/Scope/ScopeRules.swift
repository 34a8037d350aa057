// The requests of a scope, as SQL that runs in its statements: functions stand for the arguments, and the names of tables
// have a schema, so that they can't be confused with those of the scope.

import RowanSQLText

/// The SQL of a request of a scope.
struct ScopeRuleText {
    let rule: DatabaseScope.Rule
    /// The table, as named by the request.
    let table: String
    /// The query of a request to read, or the condition of a request to write, with arguments.
    let sql: String
    let values: [DatabaseValue]
    /// The condition of a request to read, if it has nothing else.
    private let condition: String?
    /// The position of the first value in those of the scope.
    private let firstValue: Int

    init(_ rule: DatabaseScope.Rule, firstValue: Int, _ db: Database) throws {
        let relation = rule.relation
        guard case .table(let name) = relation.source, name.schema?.isSameDatabaseName(as: "main") ?? true else {
            throw rule.refusal("is not a request of a table of the main database")
        }
        var renderer = Renderer()
        let condition = Select(relation).flatMap { $0.isPlain ? Self.condition($0, name.name) : nil }
        if rule.isWriting {
            guard let condition else { throw rule.refusal("has more than conditions") }
            guard !SQLScanner(condition.text).hasSubquery else { throw rule.refusal("has a subquery") }
            renderer = condition
        } else {
            renderer.write(try Resolver(db).select(relation))
        }
        let arguments = try renderer.statementArguments()
        guard arguments.namedValues.isEmpty else { throw rule.refusal("has named arguments: use ?") }
        func text(_ condition: Renderer) -> String { condition.text.isEmpty ? "TRUE" : condition.text }
        (self.rule, table, sql) = (rule, name.name, rule.isWriting ? text(renderer) : renderer.text)
        self.condition = condition.map(text)
        (values, self.firstValue) = (arguments.values, firstValue)
    }

    private static func condition(_ select: Select, _ table: String) -> Renderer {
        var renderer = Renderer()
        renderer.currentName = table
        renderer.write(clause: "", select.filters)
        return renderer
    }

    var key: ScopeKey { ScopeKey(isWriting: rule.isWriting, table: table, sql: sql) }

    /// The SQL with functions in place of its arguments, and with the schema of its tables.
    ///
    /// - Returns: the SQL, and, in lower case, the names that may be those of further tables, and the names of tables.
    func scoped(_ db: Database) throws -> (sql: String, usedNames: Set<String>, tables: Set<String>) {
        try scoped(rule.isWriting ? ofTable(sql, db) : sql, db)
    }

    /// The condition with functions in place of its arguments.
    ///
    /// - Throws: SQLITE_MISUSE if the request has something else, or a subquery, whose tables a change could not read.
    func scopedCondition(_ db: Database) throws -> String {
        guard let condition else {
            throw rule.refusal("has more than conditions, but the scope writes this table: use conditions only")
        }
        guard !SQLScanner(condition).hasSubquery else {
            throw rule.refusal("has a subquery, but the scope writes this table: use conditions on its columns only")
        }
        return try scoped(ofTable(condition, db), db).sql
    }

    /// A condition in which no name can refer to anything but the table, also in the statement of a user: another table there can
    /// have a column with the name of the rowid, or with a text in double quotes.
    private func ofTable(_ condition: String, _ db: Database) throws -> String {
        let columns = try db.columnInfo(of: table, in: "main").map(\.name)
        return try SQLScanner.replacing(condition) { token, scanner in
            guard let name = scanner.name(token), !columns.contains(where: name.isSameDatabaseName) else { return nil }
            if ["rowid", "_rowid_", "oid"].contains(name.lowercased()) {
                guard let column = try db.keyInfo(of: table, in: "main").rowIDColumn else {
                    throw rule.refusal(
                        "has the rowid, which is no column of the table: give the table an INTEGER PRIMARY KEY")
                }
                return column.quotedDatabaseIdentifier
            }
            if db.configuration.acceptsDoubleQuotedStringLiterals, scanner[token].hasPrefix("\"") {
                throw rule.refusal("has the text \(scanner[token]): use single quotes, or an argument")
            }
            return nil
        }
    }

    private func scoped(
        _ sql: String, _ db: Database
    ) throws -> (sql: String, usedNames: Set<String>, tables: Set<String>) {
        var index = firstValue
        var places = TablePlaces()
        var (usedNames, tables): (Set<String>, Set<String>) = ([], [])
        let sql = try SQLScanner.replacing(sql) { token, scanner in
            guard !token.isComment else { return nil }
            let isTable = places.next(scanner[token], token.kind)
            if token.kind == .variable {
                guard scanner[token] == "?" else { throw rule.refusal("has the argument \(scanner[token]): use ?") }
                defer { index += 1 }
                return "\(ScopeRestriction.function)(\(index))"
            }
            guard let name = scanner.name(token), try db.object(name, in: "main") != nil else { return nil }
            guard isTable else {
                usedNames.insert(name.foldedDatabaseName)
                return nil
            }
            tables.insert(name.foldedDatabaseName)
            return "main." + scanner[token]
        }
        return (sql, usedNames, tables)
    }
}

extension Database {
    /// The tables of a scope on this connection.
    func makeScope(_ rules: [ScopeRuleText]) throws -> ScopeRestriction {
        var (usedNames, queried): (Set<String>, Set<String>) = ([], [])
        let byTable = Dictionary(grouping: rules) { $0.table.foldedDatabaseName }
        let tables = try byTable.sorted(on: \.key).map { _, rules in
            let (reading, writing) = (rules.filter { !$0.rule.isWriting }, rules.filter(\.rule.isWriting))
            guard reading.count <= 1, writing.count <= 1 else {
                throw rules[0].rule.refusal("is the second one of this table")
            }
            let kept = try rules[0].rule.table(self)
            let condition = try writing.first?.scoped(self).sql
            var query = "SELECT * FROM main.\(kept.name.quotedDatabaseIdentifier) WHERE \(condition ?? "")"
            if let rule = reading.first {
                let scoped = try rule.scoped(self)
                query = scoped.sql
                usedNames.formUnion(scoped.usedNames)
                queried.formUnion(scoped.tables)
            }
            let all = try columnInfo(of: kept.name, in: "main")
            let columns = try connection.prepare(query).columnNames
            try reading.first?.rule.check(columns, of: all)
            var table = ScopeRestriction.Table(
                name: kept.name, query: query, columns: Set(columns.map(\.foldedDatabaseName)))
            table.showsRowID = try keyInfo(of: kept.name, in: "main").rowIDColumn != nil
            table.computedColumns = Set(all.filter(\.isComputed).map(\.name.foldedDatabaseName))
            if let condition, let rule = writing.first?.rule {
                try rule.checkWriting(self, columns.count == all.count)
                // RETURNING and errors reveal the rows that are written.
                let readable = try reading.first?.scopedCondition(self)
                let known = readable.map { "(\(condition)) AND (\($0))" } ?? condition
                table.writing = try scopeWriting(of: kept.name, all.map(\.name), condition, known: known)
            }
            return table
        }
        // Also those that replace functions of SQLite.
        let functions = try ownTexts("SELECT DISTINCT name FROM pragma_function_list WHERE NOT builtin")
        return try ScopeRestriction(
            connection, tables: tables, objects: try objectNames(), usedNames: usedNames, queriedTables: queried,
            ownFunctions: functions)
    }

    /// The names of the tables and views of the main schema, and those of other schemas and of modules.
    private func objectNames() throws -> (main: [String], others: [String]) {
        var names: (main: [String], others: [String]) = ([], [])
        for schema in try connection.schemaNames() {
            let isMain = schema.isSameDatabaseName(as: "main")
            let table = "\(schema.quotedDatabaseIdentifier).sqlite_master"
            // SQLite accepts a file with types in upper case.
            let sql = "SELECT name FROM \(table) WHERE type NOT IN ('index', 'trigger')"
            let found = try ownTexts(sql)
            if isMain { names.main += found } else { names.others += found }
        }
        names.others += try ownTexts("PRAGMA module_list")
        return names
    }

    /// The texts that one of Rowan's own queries returns.
    private func ownTexts(_ sql: String, _ arguments: StatementArguments = []) throws -> [String] {
        try connection.unrestricted { try Row.rows(of: makeStatement(sql: sql), arguments).map { $0[0] } }
    }

    /// The checks of the rows that a scope writes. SQLite runs temporary triggers for all changes of a row, those of
    /// foreign keys, too.
    ///
    /// - Parameters:
    ///   - condition: the condition of rows after they are written.
    ///   - known: the condition of rows that are updated or deleted.
    private func scopeWriting(
        of table: String, _ columns: [String], _ condition: String, known: String
    ) throws -> ScopeRestriction.Writing {
        let name = table.quotedDatabaseIdentifier
        let key = try rowKey(ofTable: TableName(table, schema: "main")).map(\.quotedDatabaseIdentifier)
        func missing(_ row: String, _ condition: String) -> String {
            // The collation of the column, which an index may have, can be coarser than that of the key.
            let sameKey = key.map { "\(name).\($0) = \(row).\($0) AND \(name).\($0) = \(row).\($0) COLLATE BINARY" }
                .joined(separator: " AND ")
            return "WHERE NOT EXISTS (SELECT 1 FROM main.\(name) WHERE \(sameKey) AND (\(condition)))"
        }
        func refusal(_ message: String) -> String { "SELECT RAISE(ABORT, \(message.databaseValue.sqlLiteral)) " }
        let old = refusal("the scope can't change this row of \(table)") + missing("OLD", known)
        let new = refusal("the scope can't store this row in \(table)")
        // Before SQLite looks for rows with the same unique values, which may be outside.
        func row(withoutRowID rowID: String? = nil) -> String {
            columns.map { column in
                let isUnknown = rowID.map(column.isSameDatabaseName) ?? false
                return (isUnknown ? "NULL" : "NEW.\(column.quotedDatabaseIdentifier)")
                    + " AS \(column.quotedDatabaseIdentifier)"
            }.joined(separator: ", ")
        }
        var early = new + "WHERE NOT EXISTS (SELECT 1 FROM (SELECT \(row())) AS \(name) WHERE \(condition))"
        if let rowID = try keyInfo(of: table, in: "main").rowIDColumn, SQLScanner(condition).mentions(rowID) {
            // SQLite has not chosen it yet: the rest of the condition may be false whatever it will be.
            let unknown = "NEW.\(rowID.quotedDatabaseIdentifier) IS -1"
            let source = "(SELECT \(row(withoutRowID: rowID))) AS \(name)"
            early += " AND NOT (\(unknown)); " + new + "FROM \(source) WHERE \(unknown) AND (\(condition)) IS FALSE"
        }
        return .init(
            condition: Self.qualified(known, columns, "main.\(name)"),
            checks: [
                ("BEFORE UPDATE", "\(old); \(early)"), ("BEFORE DELETE", old), ("BEFORE INSERT", early),
                ("AFTER INSERT", new + missing("NEW", condition)),
                ("AFTER UPDATE", new + missing("NEW", condition)),
            ],
            references: try foreignKeys(on: table, in: "main").map { key in
                .init(
                    parent: key.destinationTable.foldedDatabaseName,
                    columns: key.mapping.map { ($0.origin.quotedDatabaseIdentifier, $0.destination) })
            }, referrers: try referrers(of: table))
    }

    /// A condition whose columns can't be taken for those of other tables in a statement: UPDATE … FROM.
    private static func qualified(_ condition: String, _ columns: [String], _ table: String) -> String {
        var previous = ""
        return SQLScanner.replacing(condition) { token, scanner in
            guard !token.isComment else { return nil }
            defer { previous = scanner[token].uppercased() }
            guard token.kind == .quotedName || token.kind == .word, let name = scanner.name(token),
                columns.contains(where: name.isSameDatabaseName), ![".", "AS", "COLLATE"].contains(previous)
            else { return nil }
            var rest = scanner
            var next = rest.next()
            while next?.isComment ?? false { next = rest.next() }
            let follows = next.map { scanner[$0] } ?? ""
            guard follows != "(", follows != "." else { return nil }
            guard token.kind == .quotedName || !expressionWords.contains(name.uppercased()) else { return nil }
            return "\(table).\(scanner[token])"
        }
    }

    /// Keywords in conditions that can also be names of columns without quotes.
    private static let expressionWords: Set<String> = [
        "CAST", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "END", "FALSE", "FILTER", "GLOB", "LIKE", "MATCH",
        "OVER",
        "REGEXP", "TRUE",
    ]

    /// The foreign keys that refer to a table.
    private func referrers(of table: String) throws -> [ScopeRestriction.Referrer] {
        let words = try definitionWords()
        func comparesPlainly(_ name: String) -> Bool { !words.collating.contains(name.foldedDatabaseName) }
        func affinity(_ column: String, _ table: String, _ columns: [ColumnInfo]) throws -> Affinity? {
            try columns.first { $0.name.isSameDatabaseName(as: column) }.map {
                try self.affinity(declaredType: $0.type, in: existingTable(table, in: "main"))
            }
        }
        let parents = try columnInfo(of: table, in: "main")
        return try tables(in: "main").flatMap { child -> [ScopeRestriction.Referrer] in
            let keys = try foreignKeys(on: child.name, in: "main", to: table)
            guard !keys.isEmpty else { return [] }
            let actions = try connection.unrestricted {
                try Row.rows(
                    of: makeStatement(sql: "SELECT id, on_delete FROM pragma_foreign_key_list(?, 'main')"), [child.name]
                )
            }
            let children = try columnInfo(of: child.name, in: "main")
            return try keys.map { key in
                let action = actions.first { ($0[0] as Int) == key.id }?[1] as String?
                return ScopeRestriction.Referrer(
                    child: child.name, columns: key.mapping.map { ($0.origin, $0.destination) },
                    keepsParents: action == "NO ACTION" || action == "RESTRICT",
                    isDeferred: words.deferring.contains(child.name.foldedDatabaseName),
                    comparesAlike: try comparesPlainly(table) && comparesPlainly(child.name)
                        && key.mapping.allSatisfy {
                            try affinity($0.origin, child.name, children) == affinity($0.destination, table, parents)
                        }
                )
            }
        }
    }
}

extension DatabaseScope.Rule {
    func refusal(_ reason: String) -> DatabaseError {
        let action = isWriting ? "write" : "include"
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a scope can't \(action) \(relation.source.name): the request \(reason)")
    }

    /// The table, as spelled in the schema.
    fileprivate func table(_ db: Database) throws -> DatabaseObjectID {
        let table = try db.existingTable(relation.source.name, in: "main")
        guard try db.storesRows(table.name, in: "main") else {
            throw refusal("is not a table that stores its rows itself")
        }
        return table
    }

    /// Checks what a request to read selects.
    fileprivate func check(_ columns: [String], of all: [ColumnInfo]) throws {
        let expected = try selectedColumns() ?? all.map(\.name)
        let names = columns.map(\.foldedDatabaseName)
        guard names == expected.map(\.foldedDatabaseName),
            Set(names).isSubset(of: all.map(\.name.foldedDatabaseName))
        else { throw refusal("selects \(columns.joined(separator: ", ")): select only columns of the table") }
    }

    /// The names of the selected columns; nil for all columns.
    private func selectedColumns() throws -> [String]? {
        guard !relation.selection.isEmpty, !relation.selection.allSatisfy(\.isAllColumns) else { return nil }
        return try relation.selection.map { selection in
            guard case .expression(let expression) = selection.node, case .column(let name, _) = expression.node else {
                throw refusal("selects something other than columns")
            }
            return name
        }
    }

    /// Checks that no statement that writes the table can do more than write its rows.
    fileprivate func checkWriting(_ db: Database, _ showsAllColumns: Bool) throws {
        guard !["new", "old"].contains(relation.source.name.foldedDatabaseName) else {
            throw refusal("is of a table called \(relation.source.name), which means a row in triggers: rename it")
        }
        guard showsAllColumns else { throw refusal("has columns that can't be read: a scope writes whole rows") }
        let (words, name) = (try db.definitionWords(), relation.source.name.foldedDatabaseName)
        guard !words.triggering.contains(name) else {
            throw refusal("is of a table with triggers, which may use what the scope does not include")
        }
        guard !words.replacing.contains(name) else {
            throw refusal("is of a table whose constraints replace rows, which may be those outside the scope")
        }
    }
}

extension SQLScanner {
    /// Whether a condition reads other rows: with SELECT, or with IN and a table.
    fileprivate var hasSubquery: Bool {
        var follows = false
        return contains { token in
            guard !token.isComment else { return false }
            let word = token.kind == .word ? self[token].uppercased() : nil
            defer { follows = word == "IN" }
            return word == "SELECT" || follows && name(token) != nil
        }
    }

    /// Whether a name is among the tokens.
    fileprivate func mentions(_ name: String) -> Bool {
        contains { self.name($0)?.isSameDatabaseName(as: name) ?? false }
    }
}

extension Select {
    /// Whether the query consists of a table and conditions.
    fileprivate var isPlain: Bool {
        !isDistinct && limit == nil && groups.isEmpty && havings.isEmpty && windows.isEmpty && commonTables.isEmpty
            && joins.isEmpty && aliases.isEmpty && hiddenSelection.isEmpty && selection.allSatisfy(\.isAllColumns)
    }
}
