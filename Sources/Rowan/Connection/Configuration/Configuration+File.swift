// Which options only concern a file of this machine.

extension Configuration {
    /// The name of an option that is set and has no effect without a file of this machine; nil if there is none.
    package var firstFileOption: String? {
        let options = [
            ("vfs", vfs != nil), ("journalMode", journalMode != .default), ("mmapSize", mmapSize != nil),
            ("walSizeLimit", walSizeLimit != Configuration().walSizeLimit),
            ("replicatedByLitestream", replicatedByLitestream),
            ("persistentReadOnlyConnections", persistentReadOnlyConnections), ("allowsExtensions", allowsExtensions),
            ("trust", trust != .trusted), ("checksFileOnOpen", checksFileOnOpen != nil),
        ]
        return options.first(where: \.1)?.0
    }
}
