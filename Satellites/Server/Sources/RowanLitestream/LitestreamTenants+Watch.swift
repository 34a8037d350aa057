// What happens to the tenants while Litestream runs.

import Foundation
import Logging
import RowanTenants

extension LitestreamTenants {
    /// Brings the numbers of changes up to those of snapshots, for each database that is new on this machine.
    func goOnAfterSnapshots(_ catalog: TenantCatalog) async throws {
        try await replica(of: catalog).goOnAfterSnapshots(of: catalog.path, daemon.logger)
        let results = await (try await directory.tenants()).mapConcurrently(4) { name in
            await Result {
                try await self.replica.tenant(name)
                    .goOnAfterSnapshots(of: self.directory.file(of: name), self.daemon.logger)
            }
        }
        for result in results { try result.get() }
    }

    private func replica(of catalog: TenantCatalog) -> LitestreamReplica {
        var replica = replica
        replica.url = TenantCatalog.url(of: replica)
        return replica
    }

    /// Keeps the catalog current, and finds tenants that Litestream lacks.
    func watch(_ catalog: TenantCatalog) async throws {
        var check = TenantCheck()
        while true {
            do {
                let present = Set(try await directory.tenants())
                let isOutdated = await catalog.isOutdated(present)
                if isOutdated || check.isPending(present) {
                    try await follow(present, catalog, &check)
                }
            } catch {
                try Task.checkCancellation()
                daemon.logger.error("the list of tenants on the replica may be outdated: \(error)")
            }
            try await Task.sleep(for: interval)
        }
    }

    private func follow(_ present: Set<String>, _ catalog: TenantCatalog, _ check: inout TenantCheck) async throws {
        // New tenants are listed even if Litestream doesn't respond.
        try await catalog.update(present: present, replicated: [])
        let databases: [LitestreamDatabase]
        do { databases = try await daemon.databases() } catch let error as LitestreamError
            where error.kind == .notRunning
        {
            // It is starting.
            return
        }
        let known = Dictionary(databases.map { ($0.path, $0) }) { $1 }
        let listed = try present.filter { known[try directory.file(of: $0)] != nil }
        let replicated = try present.filter { known[try directory.file(of: $0)]?.lastSync != nil }
        try await catalog.update(present: present, replicated: replicated)
        switch check.next(present: present, listed: listed) {
        case .wait: break
        case .restart(let missing):
            daemon.logger.error(
                "Litestream has not noticed new tenants, and is restarted", metadata: ["tenants": "\(missing.sorted())"]
            )
            daemon.terminate()
        case .report(let missing):
            daemon.logger.error(
                "these tenants are not replicated: their files are no databases, or Litestream can't open them",
                metadata: ["tenants": "\(missing.sorted())"])
        }
    }
}

/// Decides what happens if Litestream lacks tenants. The system's notices about files may get lost.
struct TenantCheck {
    enum Step: Equatable {
        case wait
        case restart(Set<String>)
        case report(Set<String>)
    }

    /// The number of checks after which a tenant should be listed.
    static let patience = 30

    private var known: Set<String>?
    private var missing: Set<String> = []
    private var count = 0
    private var hasRestarted = false
    /// Those that a restart has not helped.
    private var abandoned: Set<String> = []

    /// Whether tenants have changed since the last check, or some are missing.
    func isPending(_ present: Set<String>) -> Bool { known != present || !missing.isEmpty }

    mutating func next(present: Set<String>, listed: Set<String>) -> Step {
        known = present
        abandoned.formIntersection(present)
        let lacking = present.subtracting(listed).subtracting(abandoned)
        // Only those that stay missing count.
        if missing.isDisjoint(with: lacking) { (count, hasRestarted) = (0, false) }
        missing = missing.isDisjoint(with: lacking) ? lacking : missing.intersection(lacking)
        guard !missing.isEmpty else { return .wait }
        count += 1
        guard count > Self.patience else { return .wait }
        count = 0
        if !hasRestarted {
            hasRestarted = true
            return .restart(missing)
        }
        defer { (missing, hasRestarted) = ([], false) }
        abandoned.formUnion(missing)
        // The next check sees the rest.
        known = nil
        return .report(missing)
    }
}
