// All public names of Rowan, as names of this module: `GRDB.Column`.

@_exported public import Rowan
