// What a row object keeps for the decoders of the next rows, as long as a cursor moves it.

extension Row {
    /// A property that is a record: where it decodes from, and its type if it builds itself from rows.
    package struct KeptPart {
        let key: String
        let type: ObjectIdentifier
        /// nil for the row that keeps this.
        let scope: Row?
        let record: (any RowDecodable.Type)?
    }

    package func endDecoding() {
        keepsDecoding = false
        decoding = []
        keptParts = []
        for scope in keptScopes { scope.row.endDecoding() }
        keptScopes = []
        prefetchedTree?.tree.endDecoding()
    }
}
