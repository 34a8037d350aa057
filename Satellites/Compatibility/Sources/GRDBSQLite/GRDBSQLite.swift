// The C API of the SQLite that Rowan uses.

@_exported public import RowanSQLite
