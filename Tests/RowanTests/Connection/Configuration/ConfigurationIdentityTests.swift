// The identity of configurations: unchanged copies have the same one.

import Dispatch
import Foundation
import Testing

@testable import Rowan

@Suite("The identity of configurations")
struct ConfigurationIdentityTests {
    /// A change to each stored property, by name.
    private let changes: [String: (inout Configuration) -> Void] = [
        "foreignKeysEnabled": { $0.foreignKeysEnabled = false },
        "readonly": { $0.readonly = true },
        "label": { $0.label = "label" },
        "vfs": { $0.vfs = "unix" },
        "allowsExtensions": { $0.allowsExtensions = true },
        "trust": { $0.trust = .untrustedFile }, "checksFileOnOpen": { $0.checksFileOnOpen = .seconds(1) },
        "acceptsDoubleQuotedStringLiterals": { $0.acceptsDoubleQuotedStringLiterals = true },
        "busyMode": { $0.busyMode = .timeout(1) },
        "readonlyBusyMode": { $0.readonlyBusyMode = .timeout(1) },
        "writerBusyMode": { $0.writerBusyMode = .timeout(1) },
        "journalMode": { $0.journalMode = .wal },
        "allowsUnsafeTransactions": { $0.allowsUnsafeTransactions = true },
        "cacheSize": { $0.cacheSize = nil },
        "readerCacheSize": { $0.readerCacheSize = nil },
        "mmapSize": { $0.mmapSize = 1 },
        "walSizeLimit": { $0.walSizeLimit = nil },
        "replicatedByLitestream": { $0.replicatedByLitestream = true },
        "publicStatementArguments": { $0.publicStatementArguments = true },
        "strictConversions": { $0.strictConversions = true },
        "strictArguments": { $0.strictArguments = true },
        "strictColumns": { $0.strictColumns = true },
        "transactionClock": { $0.transactionClock = .custom { _ in Date(timeIntervalSince1970: 0) } },
        "schemaSource": { $0.schemaSource = NoSource() },
        "maximumReaderCount": { $0.maximumReaderCount = 1 },
        "readerTimeout": { $0.readerTimeout = .seconds(1) },
        "longReadReport": { $0.reportLongReads(after: .seconds(1)) { _ in } },
        "instruments": { $0.instruments.append(NoInstrument()) },
        "persistentReadOnlyConnections": { $0.persistentReadOnlyConnections = true },
        "suspensionSource": { $0.observesSuspensionNotifications = true },
        "groupsAsyncWrites": { $0.groupsAsyncWrites = true },
        "observesOtherProcesses": { $0.observesOtherProcesses = true },
        "pollingInterval": { $0.pollingInterval = .seconds(1) },
        "qos": { $0.qos = .background },
        "targetQueue": { $0.targetQueue = .global() },
        "writeTargetQueue": { $0.writeTargetQueue = .global() },
        "setups": { $0.prepareDatabase { _ in } },
    ]

    @Test("A change to any option gives a new identity")
    func changed() {
        let options = Set(Mirror(reflecting: Configuration()).children.compactMap(\.label)).subtracting(["identity"])
        #expect(Set(changes.keys) == options)
        for (name, change) in changes {
            var once = Configuration()
            change(&once)
            #expect(once.identity != Configuration().identity, "\(name)")
            var twice = once
            change(&twice)
            #expect(twice.identity != once.identity, "\(name)")
        }
    }

    @Test("Unchanged copies share an identity, and so do default configurations")
    func copies() {
        #expect(Configuration().identity == Configuration().identity)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let copy = configuration
        configuration.foreignKeysEnabled = true
        #expect(copy.identity != configuration.identity)
        let other = copy
        #expect(copy.identity == other.identity)
    }
}

private struct NoSource: DatabaseSchemaSource {
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { nil }
}

private struct NoInstrument: DatabaseInstrument {}
