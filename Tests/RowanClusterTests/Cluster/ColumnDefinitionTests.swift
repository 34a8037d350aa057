// The types of columns that get a length.

import Testing

@testable import RowanCluster

@Suite
struct ColumnDefinitionTests {
    @Test(arguments: [
        ("CREATE TABLE t (a BOOLEAN, \"b\" date NOT NULL)", "CREATE TABLE t (a BOOLEAN(1), \"b\" date(1) NOT NULL)"),
        (
            "create temp table t(a \"Date\",b [DATETIME],c `TIMESTAMP`)",
            "create temp table t(a Date(1),b DATETIME(1),c TIMESTAMP(1))"
        ),
        ("CREATE TABLE t (a 'DATE')", "CREATE TABLE t (a DATE(1))"),
        ("CREATE TABLE t (/* (, */ a -- ,\n DATE /**/)", "CREATE TABLE t (/* (, */ a -- ,\n DATE(1) /**/)"),
        (
            "CREATE TABLE t (date date, a TIMESTAMP GENERATED ALWAYS AS (1))",
            "CREATE TABLE t (date date(1), a TIMESTAMP(1) GENERATED ALWAYS AS (1))"
        ),
        ("ALTER TABLE t ADD d DATE", "ALTER TABLE t ADD d DATE(1)"),
        (
            "ALTER TABLE t ADD COLUMN \"größe\u{301}\" DATE DEFAULT 1",
            "ALTER TABLE t ADD COLUMN \"größe\u{301}\" DATE(1) DEFAULT 1"
        ),
    ])
    func rewritten(_ sql: String, _ expected: String) { #expect(ColumnDefinitions.withLengths(sql) == expected) }

    @Test(arguments: [
        "CREATE TABLE t (a DATE(1), b DATE TIME, c dates, d \u{E9}date, date)", "CREATE TABLE t (a CHECK (a, date))",
        "CREATE TABLE t (a DEFAULT 'date', b COLLATE date)", "CREATE VIEW t AS SELECT a date, b",
        "ALTER TABLE t RENAME COLUMN a TO date",
        "ALTER TABLE t ADD COLUMN date", "CREATE TABLE date AS SELECT 1", "CREATE TABLE t (a /* DATE */)", "",
    ])
    func unchanged(_ sql: String) { #expect(ColumnDefinitions.withLengths(sql) == sql) }
}
