// Undo and redo, as changesets and their inverses.

public import Rowan

/// The changes that a user can undo and redo.
///
/// ```swift
/// var undo = UndoStack()
/// try dbQueue.write { db in
///     try undo.perform(db) { try player.update(db) }
/// }
/// try dbQueue.write { db in try undo.undo(db) }
/// try dbQueue.write { db in try undo.redo(db) }
/// ```
///
/// If rows have been changed in the meantime by others, undoing them is a conflict: nothing is changed, and the stack stays
/// as it is. The stack is a value: save it as JSON, or copy it before a transaction that may fail.
///
/// Article: <doc:ChangesAsValues>.
public struct UndoStack: Hashable, Sendable, Codable {
    /// The changes that can be undone, the last one at the end.
    public private(set) var undoable: [Changeset] = []
    /// The changes that have been undone, the last one at the end.
    public private(set) var redoable: [Changeset] = []
    /// The number of changes to keep.
    public let limit: Int

    /// Creates an empty stack.
    ///
    /// - Parameter limit: the number of changes to keep. 100 by default.
    public init(limit: Int = 100) { self.limit = max(limit, 1) }

    /// Whether there is a change to undo.
    public var canUndo: Bool { !undoable.isEmpty }
    /// Whether there is a change to redo.
    public var canRedo: Bool { !redoable.isEmpty }

    /// Runs the closure and records what it changes, as one step. Changes that were undone can no longer be redone.
    ///
    /// - Throws: the closure's error, and those of ``/Rowan/Database/recordChanges(in:_:)``. The stack then stays as it is.
    public mutating func perform(_ db: Database, _ updates: () throws -> Void) throws {
        let changes = try db.recordChanges(updates)
        guard !changes.isEmpty else { return }
        redoable = []
        undoable.append(changes)
        undoable.removeFirst(max(undoable.count - limit, 0))
    }

    /// Undoes the last step. Does nothing if there is none.
    ///
    /// - Parameters:
    ///   - db: the database.
    ///   - triggers: whether triggers run. Let them, if they keep a full-text table up to date.
    /// - Throws: SQLITE_ABORT if its rows have been changed since, and the other errors of
    ///   ``/Rowan/Database/apply(_:triggers:conflict:)``.
    public mutating func undo(_ db: Database, triggers: ChangeTriggers = .skip) throws {
        guard let changes = undoable.last else { return }
        try db.apply(changes.inverted(), triggers: triggers)
        undoable.removeLast()
        redoable.append(changes)
    }

    /// Repeats the last step that was undone. Does nothing if there is none.
    ///
    /// - Parameters:
    ///   - db: the database.
    ///   - triggers: whether triggers run. Let them, if they keep a full-text table up to date.
    /// - Throws: SQLITE_ABORT if its rows have been changed since, and the other errors of
    ///   ``/Rowan/Database/apply(_:triggers:conflict:)``.
    public mutating func redo(_ db: Database, triggers: ChangeTriggers = .skip) throws {
        guard let changes = redoable.last else { return }
        try db.apply(changes, triggers: triggers)
        redoable.removeLast()
        undoable.append(changes)
    }
}
