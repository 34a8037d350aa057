// How copies are opened.

import Rowan

extension Configuration {
    /// The configuration of a copy: its functions, collations and passphrase, but none of what concerns the file.
    static func ofCopy(of configuration: Configuration) -> Configuration {
        var copy = configuration
        copy.readonly = false
        // The statements are the program's own, and may read all rows.
        if copy.trust != .trusted { copy.trust = .untrustedFile }
        copy.journalMode = .default
        copy.observesOtherProcesses = false
        copy.replicatedByLitestream = false
        copy.label = "restore drill"
        return copy
    }
}
