// Undo and redo.

import Foundation
import Rowan
import RowanChangesets
import Testing

extension ApplyTests {
    @Test(arguments: kinds) func undoAndRedo(_ kind: ConnectionKind) throws {
        let (writer, folder) = try make(kind)
        defer { _ = folder }
        let original = try writer.read(content)
        var undo = UndoStack(limit: 2)
        var states = [original]
        try writer.write { db throws in
            for score in 1...3 {
                try undo.perform(db) {
                    try db.execute(sql: "UPDATE player SET score = \(score); DELETE FROM player WHERE id = \(score)")
                }
                states.append(try content(db))
            }
            // Nothing has changed.
            try undo.perform(db) { try db.execute(sql: "UPDATE team SET name = name") }
            #expect(undo.undoable.count == 2)
            try undo.undo(db)
            #expect(try content(db) == states[2])
            try undo.undo(db)
            #expect(try content(db) == states[1])
            #expect(!undo.canUndo)
            try undo.undo(db)
            try undo.redo(db)
            #expect(try content(db) == states[2])
            #expect(undo.canRedo)
        }
        // Others have changed the row.
        try writer.write { try $0.execute(sql: "UPDATE player SET score = 77") }
        let (before, state) = (undo, try writer.read(content))
        expectError(.SQLITE_ABORT) { try writer.write { try undo.undo($0) } }
        #expect(undo == before)
        #expect(try writer.read(content) == state)
        try writer.write { db in try undo.perform(db) { try db.execute(sql: "DELETE FROM player") } }
        #expect(!undo.canRedo)
        #expect(try JSONDecoder().decode(UndoStack.self, from: JSONEncoder().encode(undo)) == undo)
    }
}
