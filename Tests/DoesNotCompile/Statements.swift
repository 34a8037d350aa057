import RowanRecords

@Record("place") struct Spot {
    var id: Int64?
    var title: String
}

func statements(_ id: Int64, _ ids: [Int64], _ part: SQL, _ column: Column, _ type: Spot.Type) throws {
    let _: SQL = #sql("SELECT titel FROM place")  // error 31: SQLite: no such column: titel. Is it 'title'?
    let _: SQL = #sql("SELECT title FROM plcae WHERE id = \(id)")  // error 42: SQLite: no such table: plcae.
    let _: SQLRequest<Spot> = #sql("SELECT FROM place")  // error 44: SQLite: near "FROM": syntax error
    let _: SQL = #sql("SELECT title FROM place WHERE id = ?")  // error 59: #sql takes values by interpolation only
    let _: SQL = #sql("SELECT \(part) FROM place")  // error: #sql checks text that it can read
    let _: SQL = #sql("SELECT \(sql: "title") FROM place")  // error 33: #sql checks text that it can read
    let _: SQL = #sql("SELECT \(identifier: "title") FROM place")  // error 33: #sql checks text that it can read
    let _: SQL = #sql("SELECT \(column) FROM place")  // error: #sql needs to read the name of a column
    let _: SQL = #sql("SELECT 1 FROM place WHERE id = \(ids)")  // error: #sql checks a list only after IN
    let _: SQL = #sql("SELECT 1 FROM place WHERE id IN \(id)")  // error: #sql checks a list after IN
    let _: SQL = #sql("SELECT \(Spot.Columns.title) FROM \(Spot.self) WHERE id IN \(ids) AND id <> \(id)")
    let _ = #sql("DELETE FROM place")
    let _: SQL = #sql("DELETE FROM place; DELETE FROM place")
    let _: SQLRequest<Spot> = #sql("DELETE FROM place; DELETE FROM place")  // error: a request is a single statement
}
