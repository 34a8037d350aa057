// A program with checked SQL. Scripts/check-schema-edit edits its schema.

import RowanRecords

let queue = try DatabaseQueue()
try queue.write { db in
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER)")
    try db.execute(literal: #sql("INSERT INTO player (score) VALUES (\(100)), (\(200))"))
    try db.execute(literal: raise(by: 1))
}
print(try queue.read { try highScores(from: 150).fetchAll($0) })
